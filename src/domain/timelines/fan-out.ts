import { Cluster } from "ioredis";
import type { Ctx } from "../../context.ts";
import { byNode } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { followersNow } from "../graph/follows.ts";
import type { UserId } from "../ids.ts";
import type { Stamp } from "../stamp.ts";
import { fanOutInside } from "./fan-out-inside.ts";
import { FollowerWalk } from "./follower-walk.ts";
import { keptWhenCut } from "./home-store.ts";
import type { Placed, Progress } from "./store.ts";

/** Followers served by one script call: while it runs, about a millisecond, Redis does nothing else. */
const followersAtOnce = 240;
/** The same on a cluster, where their timelines are sent along. */
const timelinesAtOnce = 160;
/** Calls under way at once: Redis has the next one when it is done, and readers wait for two at most. */
const callsInFlight = 2;
/** A crash repeats at most so many pages, which changes nothing. */
const pagesBetweenSaves = 10;

/**
 * Brings a tweet into the home timelines of its author's followers that exist: of so many `pages` of
 * them, or of all. Goes on from `progress` after a crash; whoever is served twice has the tweet once.
 * Somebody who follows meanwhile is back-filled by the follow. Returns where to go on, if anywhere.
 */
export async function fanOut(
  ctx: Ctx,
  placed: Placed,
  progress: Progress,
  pages = Infinity,
): Promise<Stamp | undefined> {
  if (ctx.redis instanceof Cluster) return await fanOutAcross(ctx, placed, progress, pages);
  const size = Math.min(followersAtOnce, ctx.config.fanoutPage);
  const steps = (some: number) => Math.ceil((some * ctx.config.fanoutPage) / size);
  return await fanOutInside(ctx, placed, progress, {
    size,
    most: steps(pages),
    betweenSaves: steps(pagesBetweenSaves),
    inFlight: callsInFlight,
  });
}

/** On a cluster, where followers and timelines live on different nodes: pages of followers go through here. */
export async function fanOutAcross(
  ctx: Ctx,
  placed: Placed,
  progress: Progress,
  pages: number,
): Promise<Stamp | undefined> {
  const walk = new FollowerWalk(ctx, placed.author, progress.done, pages);
  let pagesSaved = 0;
  const lane = async () => {
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
    await Promise.all(Array.from({ length: callsInFlight }, lane));
  } finally {
    walk.end();
  }
  return walk.rest;
}

/** A reply concerns those who also follow whom it answers, and that person. */
async function concerned(
  ctx: Ctx,
  { inReplyToUser }: Placed,
  followers: UserId[],
): Promise<UserId[]> {
  if (inReplyToUser === undefined) return followers;
  const both = await followersNow(ctx, inReplyToUser, followers);
  return followers.filter((follower) => follower === inReplyToUser || both.has(follower));
}

/** One script call on each Redis node. */
export async function deliverTo(ctx: Ctx, placed: Placed, users: UserId[]): Promise<void> {
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

/** If some of the timelines have just moved to another node, everyone is tried alone. */
async function deliver(ctx: Ctx, placed: Placed, homes: string[]): Promise<void> {
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
