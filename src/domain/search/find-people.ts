import type { Ctx } from "../../context.ts";
import { followedAmong } from "../graph/follows.ts";
import { seenAmong } from "../graph/visibility.ts";
import { relationsTo, type Viewer } from "../graph/relations.ts";
import { findUserByName, type User } from "../users/store.ts";
import { searchPeople } from "./people.ts";

/** Max pages of the search that are read. */
const maxPages = 20;

/** The part of the results; `following`: only users that the viewer follows. */
export interface Part {
  offset: number;
  limit: number;
  following: boolean;
}

/**
 * The user with exactly this name, if the viewer has blocked them: apps search for blocked users to unblock
 * them. Undefined for all others, as the search finds them anyway or must not.
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
 * Users with this name or a name like it: the exact name first, then in alphabetical order. A part of the
 * first thousand at most. Without users hidden from the viewer.
 */
export async function findPeople(
  ctx: Ctx,
  viewer: Viewer | undefined,
  typed: string,
  { offset, limit, following }: Part,
): Promise<User[]> {
  const named = await findUserByName(ctx, typed.trim());
  const found = await filterFound(ctx, viewer, named === undefined ? [] : [named], following);
  let next: string | undefined;
  for (let page = 0; page < maxPages && found.length < offset + limit; page += 1) {
    const more = await searchPeople(ctx, viewer, typed, next);
    const others = more.people.filter(({ id }) => id !== named?.id);
    found.push(...(await filterFound(ctx, viewer, others, following)));
    next = more.next;
    if (next === undefined) break;
  }
  return found.slice(offset, offset + limit);
}

async function filterFound(
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
