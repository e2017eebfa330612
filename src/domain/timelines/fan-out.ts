import { Cluster } from "ioredis";
import type { Ctx } from "../../context.ts";
import { byNode } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { followersNow } from "../graph/follows.ts";
import type { UserId } from "../ids.ts";
import type { Stamp } from "../stamp.ts";
import { callsInFlight, fanOutInside, pagesBetweenSaves } from "./fan-out-inside.ts";
import { FollowerWalk } from "./follower-walk.ts";
import { keptWhenCut } from "./home-store.ts";
import type { TimelineTweet, FanOutProgress } from "./store.ts";

/** Timelines per script call on a cluster; Redis does nothing else while it runs, about a millisecond. */
const timelinesAtOnce = 160;

/**
 * Adds a tweet to the existing home timelines of its author's followers: of `pages` pages of them, or of all.
 * Continues from `progress` after a crash; delivering twice changes nothing. A user who follows meanwhile gets
 * the tweet from the back-fill of the follow. Returns the stamp to continue from; undefined at the end.
 */
export async function fanOut(
  ctx: Ctx,
  placed: TimelineTweet,
  progress: FanOutProgress,
  pages = Infinity,
): Promise<Stamp | undefined> {
  const through = ctx.redis instanceof Cluster ? fanOutAcross : fanOutInside;
  return await through(ctx, placed, progress, pages);
}

/** For a cluster, where followers and timelines are on different nodes: this process reads the followers. */
export async function fanOutAcross(
  ctx: Ctx,
  placed: TimelineTweet,
  progress: FanOutProgress,
  pages: number,
): Promise<Stamp | undefined> {
  const walk = new FollowerWalk(ctx, placed.author, progress.done, pages);
  let pagesSaved = 0;
  const worker = async () => {
    for (;;) {
      const step = await walk.next(timelinesAtOnce);
      if (step === undefined) return;
      await deliverTo(ctx, placed, await concerned(ctx, placed, step.followers));
      step.finished();
      if (walk.pagesDone < pagesSaved + pagesBetweenSaves) continue;
      pagesSaved = walk.pagesDone;
      await progress.save(walk.done);
    }
  };
  try {
    await Promise.all(Array.from({ length: callsInFlight }, worker));
  } finally {
    walk.end();
  }
  return walk.rest;
}

/** A reply goes only to followers who also follow the answered user, and to that user. */
async function concerned(
  ctx: Ctx,
  { inReplyToUser }: TimelineTweet,
  followers: UserId[],
): Promise<UserId[]> {
  if (inReplyToUser === undefined) return followers;
  const both = await followersNow(ctx, inReplyToUser, followers);
  return followers.filter((follower) => follower === inReplyToUser || both.has(follower));
}

/** One script call per Redis node. */
export async function deliverTo(ctx: Ctx, placed: TimelineTweet, users: UserId[]): Promise<void> {
  const homes = users.map((user) => keys.homeTimeline(user));
  await Promise.all(nodeGroups(ctx, homes).map((group) => deliver(ctx, placed, group)));
}

function nodeGroups(ctx: Ctx, homes: string[]): string[][] {
  if (!(ctx.redis instanceof Cluster)) return [homes];
  const groups = byNode(
    ctx.redis,
    homes.map((home) => ["zcard", home]),
  );
  return groups.map((group) => group.map((index) => homes[index] as string));
}

/** If some timelines have just moved to another node, tries each one alone. */
async function deliver(ctx: Ctx, placed: TimelineTweet, homes: string[]): Promise<void> {
  const [route] = homes;
  if (route === undefined) return;
  const { timelineCap: cap } = ctx.config;
  try {
    await ctx.redis.deliver(route, placed.tweet, placed.stamp, cap, keptWhenCut(cap), ...homes);
  } catch (error) {
    if (homes.length === 1 || !movedAway(error)) throw error;
    for (const home of homes) await deliver(ctx, placed, [home]);
  }
}

function movedAway(error: unknown): boolean {
  return (
    error instanceof Error &&
    /\b(MOVED|ASK|TRYAGAIN|CROSSSLOT)\b|non.?local key/i.test(error.message)
  );
}
