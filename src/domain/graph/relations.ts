import type { Ctx } from "../../context.ts";
import { type Command, exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { Blocked, NotFound } from "../errors.ts";
import { type UserId, userId, type Stamp } from "../ids.ts";
import { membersOf, readerOf } from "../members.ts";
import {
  cutPage,
  cutPageUp,
  type Entry,
  type Page,
  type Range,
  readEntries,
  pageOf,
  toEntries,
} from "../page.ts";
import { findUser, findUsers, type User } from "../users/store.ts";
import { expiresAt, withoutCachingNow } from "../scope.ts";

/** The user who looks at a page. */
export type Viewer = Pick<User, "id">;

/** How the viewer relates to another user. */
export interface Relation {
  muted: boolean;
  /** When the mute ends; Infinity for never. Undefined without a mute. */
  mutedUntil?: Stamp | undefined;
  /** Either has blocked the other. */
  blocked: boolean;
  /** The viewer has blocked the other. */
  blocking: boolean;
  /** The other has blocked the viewer. */
  blockedBy: boolean;
}

const blocks = membersOf("zset", keys.blocks);
const blockers = membersOf("zset", keys.blockedBy);

const mutedForEver = membersOf("zset", keys.mutes);

/** Includes mutes that have ended. */
const storedTimedMutes = readerOf<UserId, readonly Entry[]>({
  key: keys.timedMutes,
  command: ["zrange", 0, -1, "WITHSCORES"],
  parse: (reply) => toEntries(reply as string[]),
});

const noRelation: Relation = { muted: false, blocked: false, blocking: false, blockedBy: false };

/** The viewer's relation to each of `others`. */
export async function relationsTo(
  ctx: Ctx,
  viewer: Viewer | undefined,
  others: Iterable<UserId>,
): Promise<(other: UserId) => Relation> {
  const ids = [...new Set(others)];
  if (viewer === undefined || ids.length === 0) return () => noRelation;
  const [muted, blocked, blockedBy] = await Promise.all([
    mutedAmong(ctx, viewer.id, ids),
    blocks(ctx, viewer.id, ids),
    blockers(ctx, viewer.id, ids),
  ]);
  return (other) => ({
    muted: muted.has(other),
    mutedUntil: muted.get(other),
    blocked: blocked.has(other) || blockedBy.has(other),
    blocking: blocked.has(other),
    blockedBy: blockedBy.has(other),
  });
}

/** End of the mute of each of these users by `user`; Infinity for one without an end. Users without a mute are absent. */
async function mutedAmong(ctx: Ctx, user: UserId, others: UserId[]): Promise<Map<UserId, Stamp>> {
  const [forEver, timed] = await Promise.all([
    mutedForEver(ctx, user, others),
    timedMutes(ctx, user),
  ]);
  const muted = new Map<UserId, Stamp>();
  for (const other of others) {
    const until = forEver.has(other) ? Infinity : timed.get(other);
    if (until === undefined) continue;
    muted.set(other, until);
    expiresAt(until / 1000);
  }
  return muted;
}

/** The mutes that end, and when. */
export async function timedMutes(ctx: Ctx, user: UserId): Promise<Map<UserId, Stamp>> {
  const timed = await storedTimedMutes(ctx, user);
  const now = withoutCachingNow(ctx) * 1000;
  const current = timed.filter(({ stamp: until }) => until > now);
  return new Map(current.map(({ id, stamp }) => [userId(id), stamp]));
}

/** For lists of `owner`. Throws Blocked if the owner has blocked the viewer. */
export async function requireNotBlockedBy(ctx: Ctx, viewer: Viewer | undefined, owner: UserId) {
  const { blockedBy } = (await relationsTo(ctx, viewer, [owner]))(owner);
  if (blockedBy) throw new Blocked("a block");
}

/**
 * Tells which users the viewer (undefined: signed out) must not see anywhere: users who are gone or suspended,
 * and those with a block in either direction. Muted users are not hidden here: only lists leave them out.
 * Sends no command if all are cached; afterwards `findUsers` and `relationsTo` have them cached.
 */
export async function hiddenFrom(
  ctx: Ctx,
  viewer: Viewer | undefined,
  ids: Iterable<UserId>,
): Promise<(id: UserId) => boolean> {
  const wanted = new Set(ids);
  const [users, relationTo] = await Promise.all([
    findUsers(ctx, wanted),
    relationsTo(ctx, viewer, wanted),
  ]);
  return (id) => isHiddenFrom(viewer, users.get(id), relationTo);
}

/** The same for one user, who may be gone, with a known relation to the viewer. */
export function isHiddenFrom(
  viewer: Viewer | undefined,
  user: User | undefined,
  relationTo: (id: UserId) => Relation,
): boolean {
  if (user === undefined || user.suspended) return true;
  return user.id !== viewer?.id && relationTo(user.id).blocked;
}

/** Those of `people` who are not hidden from the viewer. */
export async function visiblePeople(ctx: Ctx, viewer: Viewer | undefined, people: User[]) {
  const ids = people.map(({ id }) => id);
  const isHidden = await hiddenFrom(ctx, viewer, ids);
  return people.filter(({ id }) => !isHidden(id));
}

/**
 * Those of the users who hear nothing of another one: they have muted that one, or either has blocked the other. Asks
 * Redis about all in one round trip.
 */
export async function apartFrom(ctx: Ctx, users: readonly UserId[], other: UserId) {
  if (users.length === 0) return new Set();
  const [blocked, blockedBy, ...mutes] = (await exec(ctx.redis, [
    ["zmscore", keys.blocks(other), ...users],
    ["zmscore", keys.blockedBy(other), ...users],
    ...users.flatMap((user): Command[] => [
      ["zscore", keys.mutes(user), other],
      ["zscore", keys.timedMutes(user), other],
    ]),
  ])) as [(string | null)[], (string | null)[], ...(string | null)[]];
  const now = ctx.now() * 1000;
  const isApart = (_: UserId, nth: number) => {
    const [forEver = null, until = null] = mutes.slice(nth * 2, nth * 2 + 2);
    const isBlock = (blocked[nth] ?? blockedBy[nth] ?? null) !== null;
    return isBlock || forEver !== null || Number(until) > now;
  };
  return new Set(users.filter(isApart));
}

/** Whether either has blocked the other. Reads the truth, at this moment. */
export async function isBlocked(ctx: Ctx, one: UserId, other: UserId): Promise<boolean> {
  if (one === other) return false;
  const stamps = await exec(ctx.redis, [
    ["zscore", keys.blocks(one), other],
    ["zscore", keys.blocks(other), one],
  ]);
  return stamps.some((stamp) => stamp !== null);
}

/**
 * For an action of `one` on `other` or their tweets. Reads the truth, at this moment. Throws NotFound if
 * `other` is gone or suspended, Blocked if either blocked the other.
 */
export async function requireNoBlock(ctx: Ctx, one: UserId, other: UserId): Promise<void> {
  if (one === other) return;
  const [user, blocked] = await Promise.all([findUser(ctx, other), isBlocked(ctx, one, other)]);
  if (user === undefined || user.suspended) throw new NotFound("user");
  if (blocked) throw new Blocked("a block");
}

/** The users blocked by `user`, newest first. */
export const blocksPage = pageOf(keys.blocks);

/**
 * The users muted by `user`: first those whose mute ends, the last end first, then those muted for ever, newest
 * first. The stamp of an entry is the end of the mute, or its beginning.
 */
export async function mutesPage(ctx: Ctx, user: UserId, range: Range): Promise<Page<Entry>> {
  const { after = 0, limit, upwards } = range;
  const more = { ...range, limit: limit + 1 };
  const [forEver, timed] = await Promise.all([
    readEntries(ctx.redis, keys.mutes(user), more),
    readEntries(ctx.redis, keys.timedMutes(user), {
      ...more,
      after: Math.max(after, ctx.now() * 1000),
    }),
  ]);
  const sign = upwards === true ? -1 : 1;
  const all = [...timed, ...forEver].toSorted((one, other) => sign * (other.stamp - one.stamp));
  return upwards === true ? cutPageUp(all, limit) : cutPage(all, limit);
}
