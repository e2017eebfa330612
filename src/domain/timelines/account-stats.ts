import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import type { Reading } from "../../redis/memory.ts";
import type { UserId, Stamp } from "../ids.ts";
import { toEntries } from "../page.ts";

/** Account statistics. */
export interface AccountStats {
  tweets: number;
  followers: number;
  followings: number;
  /** Stamp of the newest tweet; undefined before the first. */
  newest: Stamp | undefined;
}

const noStats: AccountStats = { tweets: 0, followers: 0, followings: 0, newest: undefined };

const sizeOf = (key: (id: UserId) => string): Reading<UserId, number> => ({
  key,
  command: ["zcard"],
  parse: Number,
});
const sizes = [keys.userTimeline, keys.followers, keys.followings].map(sizeOf);

/** 0 if there is no tweet. */
const newestReading: Reading<UserId, Stamp> = {
  key: keys.userTimeline,
  command: ["zrange", 0, 0, "REV", "WITHSCORES"],
  parse: (reply) => toEntries(reply as string[])[0]?.stamp ?? 0,
};

/** For all users in one round trip, or none. */
export async function readAccountStats(ctx: Ctx, users: Iterable<UserId>) {
  const ids = [...new Set(users)];
  const [tweets, followers, followings, newest] = await Promise.all(
    [...sizes, newestReading].map(async (reading) => ctx.memory.read(ctx.redis, reading, ids)),
  );
  const statsAt = (nth: number): AccountStats => ({
    tweets: tweets?.[nth] ?? 0,
    followers: followers?.[nth] ?? 0,
    followings: followings?.[nth] ?? 0,
    newest: newest?.[nth] || undefined,
  });
  return new Map(ids.map((id, nth) => [id, statsAt(nth)]));
}

export async function findAccountStats(ctx: Ctx, id: UserId): Promise<AccountStats> {
  return (await readAccountStats(ctx, [id])).get(id) ?? noStats;
}

export function isSameStats(one: AccountStats, other: AccountStats): boolean {
  return (Object.keys(noStats) as (keyof AccountStats)[]).every((key) => one[key] === other[key]);
}
