import type { Ctx } from "../../context.ts";
import { followedAmong } from "../graph/follows.ts";
import { seenAmong } from "../graph/visibility.ts";
import { relationsTo, type Viewer } from "../graph/relations.ts";
import { findUserByName, type User } from "../users/store.ts";
import { searchPeople } from "./people.ts";

/** So many pages of the search are looked through at most. */
const maxPages = 20;

/** Which of those who are found; `following` are those only whom the viewer follows. */
export interface Part {
  offset: number;
  limit: number;
  following: boolean;
}

/**
 * Somebody whom the viewer has blocked, by that very name: apps look for them to unblock them. Nobody
 * else, for all others are found anyway, or not to be found.
 */
export async function findBlocked(
  ctx: Ctx,
  viewer: Viewer,
  typed: string,
): Promise<User | undefined> {
  const named = await findUserByName(ctx, typed.trim());
  if (named === undefined || named.suspended) return undefined;
  const { blocking, blockedBy } = (await relationsTo(ctx, viewer, [named.id]))(named.id);
  return blocking && !blockedBy ? named : undefined;
}

/**
 * People who are called so, whoever has that very name first, then in alphabetical order: a part of the
 * thousand that are found at most. Nobody whom the viewer may not see.
 */
export async function findPeople(
  ctx: Ctx,
  viewer: Viewer | undefined,
  typed: string,
  { offset, limit, following }: Part,
): Promise<User[]> {
  const named = await findUserByName(ctx, typed.trim());
  const found = await chosen(ctx, viewer, named === undefined ? [] : [named], following);
  let next: string | undefined;
  for (let page = 0; page < maxPages && found.length < offset + limit; page += 1) {
    const more = await searchPeople(ctx, viewer, typed, next);
    const others = more.people.filter(({ id }) => id !== named?.id);
    found.push(...(await chosen(ctx, viewer, others, following)));
    next = more.next;
    if (next === undefined) break;
  }
  return found.slice(offset, offset + limit);
}

async function chosen(
  ctx: Ctx,
  viewer: Viewer | undefined,
  people: User[],
  following: boolean,
): Promise<User[]> {
  const seen = await seenAmong(ctx, viewer, people);
  if (!following) return seen;
  if (viewer === undefined) return [];
  const ids = seen.map(({ id }) => id);
  const followed = await followedAmong(ctx, viewer.id, ids);
  return seen.filter(({ id }) => followed.has(id));
}
