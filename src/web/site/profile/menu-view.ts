import type { FollowOptions } from "../../../domain/graph/follows.ts";
import type { Relation } from "../../../domain/graph/relations.ts";
import type { User } from "../../../domain/users/store.ts";
import type { Translator } from "../../languages/translator.ts";
import { type PersonView, presentButton } from "../../layout/people.ts";
import { presentDay } from "../../layout/time.ts";
import { muteDurations } from "../filters/form.ts";

/** Mute and block buttons, the options of a follow in either direction, and the way to the viewer's lists. */
export function presentMenu(
  words: Translator,
  { url, followsYou }: PersonView,
  { muted, blocking }: Relation,
  options: FollowOptions | undefined,
) {
  const chosen = options && [
    options.notify
      ? presentButton(words, `${url}/unnotify`, "profile.stopNotifying", true)
      : presentButton(words, `${url}/notify`, "profile.notify", false),
    options.retweets
      ? presentButton(words, `${url}/hide-retweets`, "profile.hideRetweets", false)
      : presentButton(words, `${url}/show-retweets`, "profile.showRetweets", true),
  ];
  const removal = presentButton(words, `${url}/remove-follower`, "profile.removeFollower", true);
  return {
    options: [...(chosen ?? []), ...(followsYou ? [removal] : [])],
    mute: muted
      ? presentButton(words, `${url}/unmute`, "profile.unmute", true)
      : presentButton(words, `${url}/mute`, "profile.mute", false),
    durations: muteDurations,
    // The unblock button takes the place of the follow button.
    block: blocking ? undefined : presentButton(words, `${url}/block`, "profile.block", false),
    listsUrl: `${url}/lists`,
  };
}

/** Sentence about a mute or block between the viewer and this user. */
export function relationText(
  words: Translator,
  { name }: User,
  { muted, mutedUntil, blocked, blocking }: Relation,
): string | undefined {
  if (blocking) return words.t("profile.blocking", { name });
  if (blocked) return words.t("profile.blocked", { name });
  if (mutedUntil !== undefined && mutedUntil < Infinity)
    return words.t("profile.mutedUntil", { name, day: presentDay(words, mutedUntil) });
  return muted ? words.t("profile.muted", { name }) : undefined;
}
