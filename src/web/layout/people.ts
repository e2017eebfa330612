import { memo } from "../../domain/memo.ts";
import type { Ctx } from "../../context.ts";
import { requestedAmong } from "../../domain/graph/follow-requests.ts";
import { followedAmong, followersAmong } from "../../domain/graph/follows.ts";
import type { UserId } from "../../domain/ids.ts";
import { type Relation, relationsTo } from "../../domain/graph/relations.ts";
import type { User } from "../../domain/users/store.ts";
import type { Key, Reader, Translator } from "../languages/translator.ts";
import { avatarUrl } from "./avatars.ts";

export interface PersonView extends NameView {
  bio: string;
  isMe: boolean;
  followsYou: boolean;
  isFollowed: boolean;
  /** The viewer's request to follow waits for an answer. */
  isRequested: boolean;
  /** Why this user is suggested. */
  reason?: string | undefined;
  /** Button to follow or unblock; undefined for the viewer and for users who have blocked the viewer. */
  follow: ButtonView | undefined;
}

/** A user's name, wherever it is shown. */
export type NameView = ReturnType<typeof presentName>;

export const presentName = memo((user: User) => {
  const { id, name, fullname, protected: isProtected } = user;
  return { id, name, fullname, isProtected, url: `/@${name}`, avatar: avatarUrl(user) };
});

/** Users who are not suspended, with the viewer's relation to each: five commands, six if some are protected. */
export async function presentPeople(ctx: Ctx, { viewer, words }: Reader, all: User[]) {
  const people = all.filter((person) => !person.suspended);
  const ids = people.map((person) => person.id);
  const closed = people.filter((person) => person.protected).map((person) => person.id);
  const none = new Set<UserId>();
  const [followed, following, requested, relationTo] = await Promise.all([
    viewer === undefined ? none : followedAmong(ctx, viewer.id, ids),
    viewer === undefined ? none : followersAmong(ctx, viewer.id, ids),
    viewer === undefined || closed.length === 0 ? none : requestedAmong(ctx, viewer.id, closed),
    relationsTo(ctx, viewer, ids),
  ]);
  return people.map((person): PersonView => {
    const { id, bio } = person;
    const isMe = id === viewer?.id;
    const standing = {
      followsYou: following.has(id),
      isFollowed: followed.has(id),
      isRequested: requested.has(id),
    };
    const relation = { ...relationTo(id), ...standing };
    const follow = isMe ? undefined : presentFollow(words, person, relation);
    return { ...presentName(person), bio, isMe, ...standing, follow };
  });
}

/** The button to follow, or to end what prevents it. */
function presentFollow(
  words: Translator,
  { name, protected: isProtected }: User,
  relation: Relation & Pick<PersonView, "followsYou" | "isFollowed" | "isRequested">,
): ButtonView | undefined {
  const button = (verb: "follow" | "unfollow" | "unblock", label: Key) =>
    presentButton(words, `/@${name}/${verb}`, label, verb !== "follow");
  if (relation.blocking) return button("unblock", "person.unblock");
  if (relation.blocked) return undefined;
  if (relation.isFollowed) return button("unfollow", "person.unfollow");
  if (relation.isRequested) return button("unfollow", "person.requested");
  const open = relation.followsYou ? "person.followBack" : "person.follow";
  return button("follow", isProtected ? "person.ask" : open);
}

/** The answers to a request to follow of the user with this profile. */
export function presentAnswers(words: Translator, url: string) {
  return [
    presentButton(words, `${url}/accept`, "requests.accept", false),
    presentButton(words, `${url}/decline`, "requests.decline", true),
  ];
}

/** A form with only a button. */
export type ButtonView = ReturnType<typeof presentButton>;

/** A button that can be pressed, or one that takes back what it did: `pressed`. */
export function presentButton(words: Translator, action: string, label: Key, pressed: boolean) {
  return { action, label: words.t(label), pressed };
}

/** Links between lists; `current` is the address of the one on the page. */
export function presentTabs(
  words: Translator,
  tabs: readonly (readonly [href: string, label: Key])[],
  current: string,
) {
  return tabs.map(([href, label]) => ({ href, label: words.t(label), current: href === current }));
}

/** A number with its name, as a link to what it counts. */
export function presentCount(words: Translator, value: number, href: string, key: Key) {
  const counted = words.counted(value);
  return { value, text: counted.shown, label: words.t(key, counted), href };
}

/** A sentence in pieces: text, and people, links or times; see views/mixins/pieces.pug. */
export type Sentence = (string | object)[];

/** Joins names as the language does: "@ann, @bob, and @carl". */
export const listIn = memo(({ language }: Translator) => new Intl.ListFormat(language));
