import { memo } from "../../domain/memo.ts";
import type { Ctx } from "../../context.ts";
import { followedAmong, followersAmong } from "../../domain/graph/follows.ts";
import type { UserId } from "../../domain/ids.ts";
import { type Relation, relationsTo } from "../../domain/graph/relations.ts";
import { withNameOnly } from "../../domain/users/settings.ts";
import type { User } from "../../domain/users/store.ts";
import type { Key, Reader, Translator } from "../languages/translator.ts";
import { avatarUrl } from "./avatars.ts";

export interface PersonView extends NameView {
  bio: string;
  isMe: boolean;
  followsYou: boolean;
  /** Why this user is suggested. */
  reason?: string | undefined;
  /** Button to follow or unblock; undefined for the viewer and for users who have blocked the viewer. */
  follow: ButtonView | undefined;
}

/** A user's name, wherever it is shown. */
export type NameView = ReturnType<typeof presentName>;

export const presentName = memo((user: User) => {
  const { id, name, fullname } = user;
  return { id, name, fullname, url: `/@${name}`, avatar: avatarUrl(user) };
});

/**
 * Users who are not suspended, with the viewer's relation to each. Takes five commands for any number
 * of users.
 */
export async function presentPeople(
  ctx: Ctx,
  { viewer, words }: Reader,
  all: User[],
): Promise<PersonView[]> {
  const people = all.filter((person) => !person.suspended);
  const ids = people.map((person) => person.id);
  const none = new Set<UserId>();
  const [followed, following, relationTo] = await Promise.all([
    viewer === undefined ? none : followedAmong(ctx, viewer.id, ids),
    viewer === undefined ? none : followersAmong(ctx, viewer.id, ids),
    relationsTo(ctx, viewer, ids),
  ]);
  return people.map((person) => {
    const { id, bio } = person;
    const isMe = id === viewer?.id;
    const followsYou = following.has(id);
    const relation = { ...relationTo(id), followed: followed.has(id), followsYou };
    const follow = isMe ? undefined : presentFollow(words, person, relation);
    return { ...presentName(person), bio, isMe, followsYou, follow };
  });
}

/** The button to follow, or to end what prevents it. */
function presentFollow(
  words: Translator,
  { name }: User,
  relation: Relation & { followed: boolean; followsYou: boolean },
): ButtonView | undefined {
  if (relation.blocking) return presentButton(words, `/@${name}/unblock`, "person.unblock", true);
  if (relation.blocked) return undefined;
  if (relation.followed) return presentButton(words, `/@${name}/unfollow`, "person.unfollow", true);
  const label = relation.followsYou ? "person.followBack" : "person.follow";
  return presentButton(words, `/@${name}/follow`, label, false);
}

/**
 * A list from which the viewer can remove users, in its order: the button of each does so. Suspended
 * users are included, with nothing but their name and the button.
 */
export async function presentOwnPeople(
  ctx: Ctx,
  reader: Reader,
  all: User[],
  remove: (url: string) => ButtonView,
): Promise<PersonView[]> {
  const seen = await presentPeople(ctx, reader, all);
  const views = new Map(seen.map((view) => [view.id, view]));
  const reason = reader.words.t("person.suspended");
  const suspended = { bio: "", isMe: false, followsYou: false, reason };
  return all.map((person) => {
    const view = views.get(person.id) ?? { ...presentName(withNameOnly(person)), ...suspended };
    return { ...view, follow: remove(view.url) };
  });
}

/** A form with only a button. */
export interface ButtonView {
  action: string;
  label: string;
  /** True if pressing it takes something back. */
  pressed: boolean;
}

/** A button that can be pressed, or one that takes back what it did. */
export function presentButton(
  words: Translator,
  action: string,
  label: Key,
  pressed: boolean,
): ButtonView {
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
