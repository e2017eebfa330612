import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { followedAmong } from "../graph/follows.ts";
import { hiddenFrom, relationsTo, type Viewer, visiblePeople } from "../graph/relations.ts";
import { type UserId, userId } from "../ids.ts";
import { maxRounds, pageSize } from "../page.ts";
import { findUserByName, findUsers, foldName, type User } from "../users/store.ts";
import { entriesOf, firstCharacterOf, phraseOf } from "./index-person.ts";
import { unitsIn } from "./terms.ts";
import { foldTag } from "../tweets/text.ts";
import { type Trend, usedTags } from "./trending.ts";

/** Max pages of the search that are read. */
const maxPages = 20;
/** Sorts after every character that a word may have. */
const last = "\u{10FFFF}";

/** The part of the results; `following`: only users that the viewer follows. */
export interface PeopleQuery {
  offset: number;
  limit: number;
  following: boolean;
}

/**
 * The user with exactly this name, if the viewer has blocked them: apps search for blocked users to unblock
 * them. Undefined for all others, as the search finds them anyway or must not.
 */
export async function findBlocked(ctx: Ctx, viewer: Viewer, typed: string) {
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
  { offset, limit, following }: PeopleQuery,
): Promise<User[]> {
  const named = await findUserByName(ctx, typed.trim());
  const people = await filterFound(ctx, viewer, named === undefined ? [] : [named], following);
  let next: string | undefined;
  for (let page = 0; page < maxPages && people.length < offset + limit; page += 1) {
    const size = following ? pageSize : Math.min(pageSize, offset + limit + 1);
    const more = await searchPeople(ctx, viewer, typed, next, size);
    const others = more.people.filter(({ id }) => id !== named?.id);
    people.push(...(await filterFound(ctx, viewer, others, following)));
    next = more.next;
    if (next === undefined) break;
  }
  return people.slice(offset, offset + limit);
}

async function filterFound(
  ctx: Ctx,
  viewer: Viewer | undefined,
  people: User[],
  following: boolean,
): Promise<User[]> {
  const seen = await visiblePeople(ctx, viewer, people);
  if (!following) return seen;
  if (viewer === undefined) return [];
  const ids = seen.map(({ id }) => id);
  const followed = await followedAmong(ctx, viewer.id, ids);
  return seen.filter(({ id }) => followed.has(id));
}

/** As searchAllPeople, without users hidden from the viewer. */
export async function searchPeople(
  ctx: Ctx,
  viewer: Viewer | undefined,
  typed: string,
  after: string | undefined,
  size = pageSize,
) {
  return await searchAllPeople(ctx, typed, after, (ids) => hiddenFrom(ctx, viewer, ids), size);
}

/** `next` continues after the last user; undefined at the end. */
export interface FoundPeople {
  people: User[];
  next: string | undefined;
}

/**
 * Users whose name, or whose full name from one of its words on, begins with the typed text, in alphabetical
 * order; in scripts without spaces any part of the full name is found. Each user once, at their first entry.
 * Suspended users, too, unless `hidden` says otherwise; at most `size`.
 */
export async function searchAllPeople(
  ctx: Ctx,
  typed: string,
  after: string | undefined,
  hidden: (ids: UserId[]) => Promise<(id: UserId) => boolean> = async () => () => false,
  size = pageSize,
): Promise<FoundPeople> {
  const prefix = phraseOf(unitsIn(typed));
  const matches: { entry: string; user: User }[] = [];
  if (prefix === "") return { people: [], next: undefined };
  const list = keys.searchPeople(firstCharacterOf(prefix));
  let cursor = after?.startsWith(prefix) === true ? after : undefined;
  for (let round = 0; round < maxRounds; round += 1) {
    const from = cursor === undefined ? `[${prefix}` : `(${cursor}`;
    const bounds = [from, `(${prefix}${last}`, "BYLEX", "LIMIT", 0, size + 1] as const;
    const entries = await ctx.redis.zrange(list, ...bounds);
    const ids = entries.map(idOf);
    const isHidden = await hidden(ids);
    const users = await findUsers(ctx, ids);
    for (const entry of entries) {
      const user = users.get(idOf(entry));
      if (user === undefined || isHidden(user.id)) continue;
      if (firstEntry(user, prefix) === entry) matches.push({ entry, user });
    }
    cursor = entries.length > size ? entries.at(-1) : undefined;
    if (cursor === undefined || matches.length > size) break;
  }
  const page = matches.slice(0, size);
  const next = matches.length > size ? page.at(-1)?.entry : cursor;
  return { people: page.map(({ user }) => user), next };
}

function idOf(entry: string): UserId {
  return userId(entry.slice(entry.indexOf(" ") + 1));
}

/** Redis sorts by bytes. */
function firstEntry(user: User, prefix: string): string | undefined {
  const entries = entriesOf(user).filter((entry) => entry.startsWith(prefix));
  return entries.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)))[0];
}

/** Max completions of a name or tag. */
const shown = 6;
/** People among whom those that the viewer follows come first. */
const looked = 20;

/**
 * People for the beginning of a name or of a part of a full name: the exact name first, then the viewer's
 * followings, then names that begin so. Without users hidden from the viewer.
 */
export async function completeName(ctx: Ctx, viewer: Viewer | undefined, typed: string) {
  const part = { offset: 0, limit: looked, following: false };
  const people = await findPeople(ctx, viewer, typed, part);
  const ids = people.map(({ id }) => id);
  const followed = viewer && (await followedAmong(ctx, viewer.id, ids));
  const start = foldName(typed);
  const rankOf = ({ id, name }: User) => {
    if (foldName(name) === start) return 0;
    if (followed?.has(id) === true) return 1;
    return foldName(name).startsWith(start) ? 2 : 3;
  };
  return people.toSorted((one, other) => rankOf(one) - rankOf(other)).slice(0, shown);
}

/** Tags of the last 24 hours that begin with the typed text; those used by most users first. */
export async function completeTag(ctx: Ctx, typed: string): Promise<Trend[]> {
  const start = foldTag(typed);
  if (start === undefined) return [];
  const used = await usedTags(ctx);
  return used.filter(({ tag }) => tag.startsWith(start)).slice(0, shown);
}
