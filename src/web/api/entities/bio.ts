import type { Ctx } from "../../../context.ts";
import { mentionsIn } from "../../../domain/tweets/text.ts";
import { findMentioned, type MentionedUser, type User } from "../../../domain/users/store.ts";

/** Folded names in the bio, by the object, which is the same until the user changes. */
const namesByUser = new WeakMap<User, readonly string[]>();

function namesIn(user: User): readonly string[] {
  const names = namesByUser.get(user) ?? mentionsIn(user.bio);
  namesByUser.set(user, names);
  return names;
}

/** The users whom the bios of these users name; two round trips, or none. */
export async function readBioMentions(
  ctx: Ctx,
  users: Iterable<User>,
): Promise<readonly MentionedUser[]> {
  const names = new Set([...users].flatMap(namesIn));
  return names.size === 0 ? [] : await findMentioned(ctx, [...names]);
}

const none: readonly MentionedUser[] = [];

/** Those of `mentioned` who are named in the bio of the user, in its order. */
export function mentionsOf(
  user: User,
  mentioned: readonly MentionedUser[],
): readonly MentionedUser[] {
  const names = namesIn(user);
  if (names.length === 0) return none;
  return names.flatMap((named) => mentioned.find(({ name }) => name === named) ?? []);
}

export function areSame(one: readonly MentionedUser[], other: readonly MentionedUser[]): boolean {
  return one.length === other.length && one.every(({ id }, index) => id === other[index]?.id);
}
