import type { SignedInReader, Translator } from "../languages/translator.ts";
import { type ButtonView, presentButton } from "./controls.ts";
import { settingsFrame } from "./settings.ts";

export const followedTagsPath = "/settings/tags";

export function tagUrl(tag: string): string {
  return `/tags/${encodeURIComponent(tag)}`;
}

/** Shown to signed-out visitors too: the POST leads them to the log-in page. */
export function presentFollowTag(words: Translator, tag: string, isFollowed: boolean): ButtonView {
  const url = tagUrl(tag);
  return isFollowed
    ? presentButton(words, `${url}/unfollow`, "tag.unfollow", true)
    : presentButton(words, `${url}/follow`, "tag.follow", false);
}

/** The hashtags that the viewer follows, with buttons to unfollow them. */
export function presentFollowedTags({ words }: SignedInReader, tags: readonly string[]) {
  return {
    ...settingsFrame(words, followedTagsPath, "tag.followed"),
    here: followedTagsPath,
    tags: tags.map((tag) => ({
      tag,
      href: tagUrl(tag),
      unfollow: presentFollowTag(words, tag, true),
    })),
    emptyMessage: tags.length === 0 ? words.t("tag.noneFollowed") : undefined,
  };
}
