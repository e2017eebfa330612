import type { Ctx } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import type { TweetId, UserId } from "../ids.ts";
import { type Entry, type Range, toEntries, upTo } from "../page.ts";
import type { Stamp } from "../stamp.ts";

/**
 * A home timeline is a cache: the user timelines of those whom one follows, and one's own, are the
 * truth. The member "floor" says how far the cache can be trusted: from its score upwards nothing is
 * missing; what is older must be read from the user timelines. 0: complete to the very end.
 * Infinity: just made, not filled yet. The member also keeps an empty timeline in existence, which
 * is how a delivery knows that its owner is around.
 */
const floorMember = "floor";

/** A member of a full home timeline stands for a tweet, but for the floor. */
export function keptWhenCut(cap: number): number {
  // Cutting a twentieth at a time makes a cut rare, and a timeline never exceeds the cap.
  return cap - Math.ceil(cap / 20);
}

export interface StoredHome {
  floor: Stamp;
  /** Newest first, all of them at or above the floor. */
  entries: Entry[];
}

/** Undefined if there is no home timeline: it expired, or was never made. Renews it. */
export async function readHome(
  ctx: Ctx,
  user: UserId,
  { before, limit }: Range,
): Promise<StoredHome | undefined> {
  const key = keys.homeTimeline(user);
  const [floor, reply] = await exec(ctx.redis, [
    ["zscore", key, floorMember],
    // Two more: the floor may be among them, and the last may share its stamp with the next.
    ["zrange", key, upTo(before), 1, "BYSCORE", "REV", "LIMIT", 0, limit + 2, "WITHSCORES"],
    ["expire", key, lifetime(ctx)],
  ]);
  if (floor === null) return undefined;
  const entries = toEntries(reply as string[]).filter(
    (entry) => entry.id !== floorMember && entry.stamp >= Number(floor),
  );
  const edge = entries[limit - 1]?.stamp;
  const whole = entries.filter((entry, index) => index < limit || entry.stamp === edge);
  return { floor: Number(floor), entries: whole };
}

/** Makes and renews a home timeline. A new one has `floor`: 0 for somebody who follows nobody. */
export async function keepHome(ctx: Ctx, user: UserId, floor: 0 | "+inf"): Promise<void> {
  const key = keys.homeTimeline(user);
  await exec(ctx.redis, [
    ["zadd", key, "NX", floor, floorMember],
    ["expire", key, lifetime(ctx)],
  ]);
}

/**
 * Adds tweets to a home timeline, if it exists; complete from `floor` on as far as these tweets'
 * authors go. A timeline that was complete further up stays so, no further.
 */
export async function fillHome(
  ctx: Ctx,
  user: UserId,
  { entries, floor }: { entries: Entry[]; floor: Stamp },
): Promise<void> {
  await ctx.redis.fillHome(
    keys.homeTimeline(user),
    keptWhenCut(ctx.config.timelineCap),
    floor,
    ...entries.flatMap((entry) => [entry.stamp, entry.id]),
  );
}

/** Takes tweets out, as after an unfollow; taking out what is not there is harmless. */
export async function removeFromHome(ctx: Ctx, user: UserId, tweets: TweetId[]): Promise<void> {
  if (tweets.length > 0) await ctx.redis.zrem(keys.homeTimeline(user), ...tweets);
}

/** Everything stored, newest first; at most TIMELINE_CAP entries. */
export async function allStored(ctx: Ctx, user: UserId): Promise<Entry[]> {
  const reply = await ctx.redis.zrange(keys.homeTimeline(user), 0, "-1", "REV", "WITHSCORES");
  return toEntries(reply).filter((entry) => entry.id !== floorMember);
}

function lifetime(ctx: Ctx): number {
  return ctx.config.timelineTtlDays * 24 * 60 * 60;
}
