import type { Ctx } from "../../context.ts";
import { followedAmong, followersAmong } from "../../domain/graph/follows.ts";
import type { UserId } from "../../domain/ids.ts";
import { type Relation, relationsTo } from "../../domain/graph/relations.ts";
import type { User } from "../../domain/users/store.ts";
import type { Translator } from "../languages/translator.ts";
import type { Reader } from "../languages/reader.ts";
import { avatarUrl } from "./avatars.ts";

/** A user's name, wherever it is shown. */
export interface NameView {
  id: UserId;
  name: string;
  fullname: string;
  url: string;
  /** Address of a picture, or of a letter on a colour. */
  avatar: string;
}

/** A form with only a button. */
export interface ButtonView {
  action: string;
  label: string;
  pressed: boolean;
}

export interface PersonView extends NameView {
  bio: string;
  isMe: boolean;
  followsYou: boolean;
  /** Why this user is suggested. */
  reason?: string | undefined;
  /** Button to follow or unblock; undefined for the viewer and for users who have blocked the viewer. */
  follow: ButtonView | undefined;
}

const known = new WeakMap<User, NameView>();

export function presentName(user: User): NameView {
  const view = known.get(user) ?? nameView(user);
  known.set(user, view);
  return view;
}

function nameView(user: User): NameView {
  const { id, name, fullname } = user;
  return { id, name, fullname, url: `/@${name}`, avatar: avatarUrl(user) };
}

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
  return people.map((person) => ({
    ...presentName(person),
    bio: person.bio,
    isMe: person.id === viewer?.id,
    followsYou: following.has(person.id),
    follow:
      person.id === viewer?.id
        ? undefined
        : personButton(words, person, relationTo(person.id), {
            followed: followed.has(person.id),
            followsYou: following.has(person.id),
          }),
  }));
}

/**
 * All users of a list from which the viewer can remove them, in its order. Suspended users are
 * included, with nothing but their name.
 */
export async function presentOwnPeople(
  ctx: Ctx,
  reader: Reader,
  all: User[],
): Promise<PersonView[]> {
  const seen = await presentPeople(ctx, reader, all);
  const views = new Map(seen.map((view) => [view.id, view]));
  return all.map((person) => views.get(person.id) ?? presentSuspended(reader.words, person));
}

function presentSuspended(words: Translator, user: User): PersonView {
  const name = nameView({ ...user, fullname: user.name, avatar: "" });
  const nothing = { bio: "", isMe: false, followsYou: false, follow: undefined };
  return { ...name, ...nothing, reason: words.t("person.suspended") };
}

function personButton(
  words: Translator,
  user: User,
  relation: Relation,
  { followed, followsYou }: { followed: boolean; followsYou: boolean },
): ButtonView | undefined {
  if (relation.blocking)
    return { action: `/@${user.name}/unblock`, label: words.t("person.unblock"), pressed: true };
  return relation.blocked ? undefined : followButton(words, user, followed, followsYou);
}

function followButton(
  words: Translator,
  { name }: User,
  followed: boolean,
  followsYou: boolean,
): ButtonView {
  if (followed)
    return { action: `/@${name}/unfollow`, label: words.t("person.unfollow"), pressed: true };
  const label = words.t(followsYou ? "person.followBack" : "person.follow");
  return { action: `/@${name}/follow`, label, pressed: false };
}
