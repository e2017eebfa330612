import { Cluster } from "ioredis";
import type { Ctx } from "../../context.ts";
import { byNode } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { followersAfter } from "../follows/store.ts";
import type { UserId } from "../ids.ts";
import type { Stamp } from "../stamp.ts";
import { keptWhenCut } from "./home-store.ts";
import type { Placed } from "./store.ts";

/** How far a fan-out got: every follower who came at or before this stamp has the tweet. */
export interface Progress {
  done: Stamp;
  save(done: Stamp): Promise<void>;
}

/**
 * Brings a tweet into the home timelines of its author and of all followers that exist, a page of
 * followers at a time, so memory stays bounded. Goes on from `progress` after a crash; a page that
 * is delivered twice changes nothing. Somebody who follows meanwhile is back-filled by the follow.
 */
export async function fanOut(ctx: Ctx, placed: Placed, progress: Progress): Promise<void> {
  await deliverTo(ctx, placed, [placed.author]);
  let { done } = progress;
  for (;;) {
    const page = await followersAfter(ctx, placed.author, {
      after: done,
      limit: ctx.config.fanoutPage,
    });
    const last = page.at(-1);
    if (last === undefined) return;
    const followers = page.map((follower) => follower.id);
    await deliverTo(ctx, placed, followers);
    done = last.stamp;
    await progress.save(done);
  }
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
async function deliver(ctx: Ctx, { tweet, stamp }: Placed, homes: string[]): Promise<void> {
  const [route] = homes;
  if (route === undefined) return;
  const { timelineCap: cap } = ctx.config;
  try {
    await ctx.redis.deliver(route, tweet, stamp, cap, keptWhenCut(cap), ...homes);
  } catch (error) {
    if (homes.length === 1 || !movedAway(error)) throw error;
    for (const home of homes) await deliver(ctx, { tweet, stamp } as Placed, [home]);
  }
}

function movedAway(error: unknown): boolean {
  return (
    error instanceof Error &&
    /\b(MOVED|ASK|TRYAGAIN|CROSSSLOT)\b|non.?local key/i.test(error.message)
  );
}
