import type { Ctx } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { keys, mostOf } from "../../redis/keys.ts";
import type { Reading } from "../../redis/memory.ts";
import type { UserId } from "../ids.ts";
import { membersOf } from "../members.ts";
import { cutPage, type Entry, type Page, type Range, readEntries, toEntries } from "../page.ts";
import { expiresAt, withoutCachingNow } from "../scope.ts";
import type { Stamp } from "../stamp.ts";

/** Max mutes of a user that end; those for ever have no maximum. */
const timedMutesAtMost = mostOf("timedMutes");

const mutedForEver = membersOf("zset", keys.mutes);

/** Includes mutes that have ended. */
const timedReading: Reading<UserId, ReadonlyMap<string, Stamp>> = {
  key: keys.timedMutes,
  command: ["zrange", 0, -1, "WITHSCORES"],
  parse: (reply) => new Map(toEntries(reply as string[]).map(({ id, stamp }) => [id, stamp])),
};

/** Of some users, those whom `user` has muted: when that ends; Infinity for never. */
export async function mutedAmong(
  ctx: Ctx,
  user: UserId,
  others: UserId[],
): Promise<Map<UserId, Stamp>> {
  const [forEver, [timed = new Map<string, Stamp>()]] = await Promise.all([
    mutedForEver(ctx, user, others),
    ctx.memory.read(ctx.redis, timedReading, [user]),
  ]);
  const muted = new Map<UserId, Stamp>();
  const now = withoutCachingNow(ctx) * 1000;
  for (const other of others) {
    const until = forEver.has(other) ? Infinity : timed.get(other);
    if (until === undefined || until <= now) continue;
    muted.set(other, until);
    expiresAt(until / 1000);
  }
  return muted;
}

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
  const page = cutPage(all, limit, ({ stamp }) => stamp);
  if (upwards !== true) return page;
  const items = page.items.toReversed();
  return { items, older: items.at(-1)?.stamp };
}

/** The mutes that end, and when; at most timedMutesAtMost. */
export async function timedMutes(ctx: Ctx, user: UserId): Promise<Map<UserId, Stamp>> {
  const [timed = new Map<string, Stamp>()] = await ctx.memory.read(ctx.redis, timedReading, [user]);
  const now = withoutCachingNow(ctx) * 1000;
  return new Map([...timed].flatMap(([id, until]) => (until > now ? [[id as UserId, until]] : [])));
}

/** Mutes until a stamp. False if there are too many such mutes. Those that have ended make room. */
export async function addTimedMute(
  ctx: Ctx,
  { muter, muted, until }: { muter: UserId; muted: UserId; until: Stamp },
): Promise<boolean> {
  const key = keys.timedMutes(muter);
  const now = ctx.now() * 1000;
  return (await ctx.redis.addBounded(key, now, muted, until, timedMutesAtMost)) === 1;
}

/** May run twice. */
export async function removeTimedMute(ctx: Ctx, muter: UserId, muted: UserId): Promise<void> {
  await exec(ctx.redis, [["zrem", keys.timedMutes(muter), muted]]);
}
