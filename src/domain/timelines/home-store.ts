import type { Ctx } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import type { Filled } from "../../redis/scripts.ts";
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
  /** In the order of reading, all of them at or above the floor. */
  entries: Entry[];
}

/** Undefined if there is no home timeline: it expired, or was never made. Renews it. */
export async function readHome(
  ctx: Ctx,
  user: UserId,
  { before, after = 0, limit, upwards }: Range,
): Promise<StoredHome | undefined> {
  // Two more: the floor may be among them, and the last may share its stamp with the next.
  const home = keys.homeTimeline(user);
  const text = await ctx.redis.readHome(
    home,
    upTo(before),
    limit + 2,
    lifetime(ctx),
    after + 1,
    upwards === true ? "up" : "down",
  );
  if (text === null) return undefined;
  const [floor = "inf", ...members] = text.trimEnd().split(" ");
  const entries = toEntries(members).filter((entry) => entry.id !== floorMember);
  const edge = entries[limit - 1]?.stamp;
  const whole = entries.filter((entry, index) => index < limit || entry.stamp === edge);
  return { floor: toFloor(floor), entries: whole };
}

/** Redis spells infinity in its own way, which Number takes for no number. */
function toFloor(score: string): Stamp {
  return score === "inf" ? Infinity : Number(score);
}

/** Makes and renews a home timeline. A new one has `floor`: 0 for somebody who follows nobody. */
export async function keepHome(ctx: Ctx, user: UserId, floor: 0 | "+inf"): Promise<void> {
  await ctx.redis.keepMember(keys.homeTimeline(user), floor, floorMember, lifetime(ctx));
}

/**
 * Adds tweets to a home timeline, complete from `floor` on: those of "all" whom the user follows, or
 * of "some". A timeline that was complete only from further up stays so. Some tweets do not fill a
 * timeline that is "unfilled": it is left as it is, and so is one that is "absent".
 */
export async function fillHome(
  ctx: Ctx,
  user: UserId,
  { whose, entries, floor }: { whose: "all" | "some"; entries: Entry[]; floor: Stamp },
): Promise<Filled> {
  const cap = ctx.config.timelineCap;
  return await ctx.redis.fillHome(
    keys.homeTimeline(user),
    cap,
    keptWhenCut(cap),
    whose,
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

/** For each of `asked`: how many entries newer than `after` are stored; reads no more than the numbers. */
export async function countStored(
  ctx: Ctx,
  asked: { user: UserId; after: Stamp }[],
): Promise<number[]> {
  const replies = await exec(
    ctx.redis,
    // Above all stamps stands the floor of a timeline that is not filled.
    asked.map(({ user, after }) => ["zcount", keys.homeTimeline(user), `(${after}`, "(+inf"]),
  );
  return replies.map(Number);
}

function lifetime(ctx: Ctx): number {
  return ctx.config.timelineTtlDays * 24 * 60 * 60;
}
