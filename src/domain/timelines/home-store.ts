import type { Ctx } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import type { Filled } from "../../redis/scripts.ts";
import type { TweetId, UserId } from "../ids.ts";
import { type Entry, type Range, toEntries, upTo } from "../page.ts";
import type { Stamp } from "../stamp.ts";

/**
 * A home timeline is a cache; the user timelines of the owner and their followings are the truth. The score of
 * the member "floor" says how far the cache can be trusted: from that stamp upwards it is complete; older
 * tweets must be read from the user timelines. 0: complete to the end. Infinity: just made, not filled yet.
 * The member also keeps an empty timeline in existence: deliveries skip users without a home timeline.
 */
const floorMember = "floor";

/** Members left after a cut. All members are tweets, except the floor. */
export function keptWhenCut(cap: number): number {
  // Cutting a twentieth at a time makes cuts rare, and a timeline never exceeds the cap.
  return cap - Math.ceil(cap / 20);
}

export interface StoredHome {
  floor: Stamp;
  /** In reading order, all at or above the floor. */
  entries: Entry[];
}

/** Undefined if there is no home timeline: it expired, or was never made. Renews its TTL. */
export async function readHome(
  ctx: Ctx,
  user: UserId,
  { before, after = 0, limit, upwards }: Range,
): Promise<StoredHome | undefined> {
  // Two more: one may be the floor, and the last may share its stamp with the next.
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

/** Redis writes infinity as "inf", which Number parses as NaN. */
function toFloor(score: string): Stamp {
  return score === "inf" ? Infinity : Number(score);
}

/** Makes a home timeline, or renews its TTL. `floor` is for a new one: 0 for a user without followings. */
export async function keepHome(ctx: Ctx, user: UserId, floor: 0 | "+inf"): Promise<void> {
  await ctx.redis.keepMember(keys.homeTimeline(user), floor, floorMember, lifetime(ctx));
}

/**
 * Adds tweets to a home timeline: those from `floor` upwards of "all" followings, or of "some". A higher floor
 * stays if only some were added. "some" leaves a timeline that is "unfilled" or "absent" unchanged.
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

/** Removes tweets, as after an unfollow; may run twice. */
export async function removeFromHome(ctx: Ctx, user: UserId, tweets: TweetId[]): Promise<void> {
  if (tweets.length > 0) await ctx.redis.zrem(keys.homeTimeline(user), ...tweets);
}

/** All stored entries, newest first; at most TIMELINE_CAP. */
export async function allStored(ctx: Ctx, user: UserId): Promise<Entry[]> {
  const reply = await ctx.redis.zrange(keys.homeTimeline(user), 0, "-1", "REV", "WITHSCORES");
  return toEntries(reply).filter((entry) => entry.id !== floorMember);
}

/** For each of `asked`: the number of stored entries newer than `after`. */
export async function countStored(
  ctx: Ctx,
  asked: { user: UserId; after: Stamp }[],
): Promise<number[]> {
  const replies = await exec(
    ctx.redis,
    // Infinity is excluded: it is the floor of a timeline that is not filled.
    asked.map(({ user, after }) => ["zcount", keys.homeTimeline(user), `(${after}`, "(+inf"]),
  );
  return replies.map(Number);
}

function lifetime(ctx: Ctx): number {
  return ctx.config.timelineTtlDays * 24 * 60 * 60;
}
