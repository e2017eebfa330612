import { Cluster } from "ioredis";
import type { Ctx } from "../../context.ts";
import { byNode } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { followersAfter } from "../follows/store.ts";
import type { UserId } from "../ids.ts";
import type { Stamp } from "../stamp.ts";
import { keptWhenCut } from "./home-store.ts";
import type { Placed } from "./store.ts";

/** Timelines written by one script call: while it runs, about a millisecond, Redis does nothing else. */
const timelinesAtOnce = 250;
/** Calls that wait for each other on the way to Redis, so that it never waits for us. */
const callsInFlight = 3;
/** A crash repeats at most so many pages, which changes nothing. */
const pagesBetweenSaves = 10;

/** How far a fan-out got: every follower who came at or before this stamp has the tweet. */
export interface Progress {
  done: Stamp;
  save(done: Stamp): Promise<void>;
}

/**
 * Brings a tweet into the home timelines of its author's followers that exist, a page of followers
 * at a time, so memory stays bounded: `pages` of them, or all. The next page is read while one is
 * delivered. Goes on from `progress` after a crash; a page that is delivered twice changes nothing.
 * Somebody who follows meanwhile is back-filled by the follow. Returns where to go on, if anywhere.
 */
export async function fanOut(
  ctx: Ctx,
  placed: Placed,
  progress: Progress,
  pages = Infinity,
): Promise<Stamp | undefined> {
  const limit = ctx.config.fanoutPage;
  const read = (after: Stamp) => followersAfter(ctx, placed.author, { after, limit });
  let { done } = progress;
  let page = await read(done);
  for (let delivered = 1; page.length > 0; delivered += 1) {
    const last = page.at(-1)?.stamp ?? done;
    const followers = page.map((follower) => follower.id);
    const isLast = page.length < limit;
    [page] = await Promise.all([isLast ? [] : read(last), deliverTo(ctx, placed, followers)]);
    done = last;
    if (delivered % pagesBetweenSaves === 0) await progress.save(done);
    if (delivered >= pages && page.length > 0) return done;
  }
  return undefined;
}

/** A few timelines at a time, each Redis node with calls of its own. */
export async function deliverTo(ctx: Ctx, placed: Placed, users: UserId[]): Promise<void> {
  const homes = users.map((user) => keys.homeTimeline(user));
  await Promise.all(nodeGroups(ctx, homes).map((group) => deliverAll(ctx, placed, group)));
}

function nodeGroups(ctx: Ctx, homes: string[]): string[][] {
  if (!(ctx.redis instanceof Cluster)) return [homes];
  const groups = byNode(
    ctx.redis,
    homes.map((home) => ["zcard", home]),
  );
  return groups.map((group) => group.map((index) => homes[index] as string));
}

async function deliverAll(ctx: Ctx, placed: Placed, homes: string[]): Promise<void> {
  let first = 0;
  const lane = async () => {
    while (first < homes.length) {
      const part = homes.slice(first, first + timelinesAtOnce);
      first += timelinesAtOnce;
      await deliver(ctx, placed, part);
    }
  };
  await Promise.all(Array.from({ length: callsInFlight }, lane));
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
