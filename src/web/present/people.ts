import type { Ctx } from "../../context.ts";
import { followedAmong, followersAmong } from "../../domain/follows/store.ts";
import type { UserId } from "../../domain/ids.ts";
import { firstGrapheme } from "../../domain/users/display-text.ts";
import type { User } from "../../domain/users/store.ts";

/** Somebody's name, wherever it is shown. */
export interface NameView {
  id: UserId;
  name: string;
  fullname: string;
  url: string;
  /** For an avatar that is a letter on one of twelve colours. */
  initial: string;
  tint: number;
}

export interface PersonView extends NameView {
  bio: string;
  isMe: boolean;
  followsYou: boolean;
  /** The follow button; there is none for oneself. */
  follow: { action: string; label: string; pressed: boolean } | undefined;
}

const tints = 12;

const known = new WeakMap<User, NameView>();

export function presentName(user: User): NameView {
  const view = known.get(user) ?? nameView(user);
  known.set(user, view);
  return view;
}

function nameView({ id, name, fullname }: User): NameView {
  return {
    id,
    name,
    fullname,
    url: `/@${name}`,
    initial: firstGrapheme(fullname).toUpperCase(),
    tint: Number(id.slice(-6)) % tints,
  };
}

/**
 * Those who are not suspended, with the viewer's relation to each, asked for in two commands however
 * many there are.
 */
export async function presentPeople(
  ctx: Ctx,
  viewer: User | undefined,
  all: User[],
): Promise<PersonView[]> {
  const people = all.filter((person) => !person.suspended);
  const ids = people.map((person) => person.id);
  const nobody = new Set<UserId>();
  const [followed, following] =
    viewer === undefined
      ? [nobody, nobody]
      : await Promise.all([
          followedAmong(ctx, viewer.id, ids),
          followersAmong(ctx, viewer.id, ids),
        ]);
  return people.map((person) => ({
    ...presentName(person),
    bio: person.bio,
    isMe: person.id === viewer?.id,
    followsYou: following.has(person.id),
    follow:
      person.id === viewer?.id
        ? undefined
        : followButton(person, followed.has(person.id), following.has(person.id)),
  }));
}

function followButton({ name }: User, followed: boolean, followsYou: boolean) {
  if (followed) return { action: `/@${name}/unfollow`, label: "Unfollow", pressed: true };
  const label = followsYou ? "Follow back" : "Follow";
  return { action: `/@${name}/follow`, label, pressed: false };
}
