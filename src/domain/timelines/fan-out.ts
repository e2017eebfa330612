import { Cluster } from "ioredis";
import type { Ctx } from "../../context.ts";
import { followerIdsAfter, followersNow } from "../graph/follows.ts";
import { type UserId, userId, type Stamp } from "../ids.ts";
import { callsInFlight, Delivery, limitCalls } from "./delivery.ts";
import type { FanOutProgress, TimelineTweet } from "./store.ts";
import { keys } from "../../redis/keys.ts";
import { perClient } from "../memo.ts";
import { keptWhenCut } from "./home-store.ts";

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

/**
 * A fan-out on a cluster, where followers and timelines are on different nodes: this process reads the followers,
 * ten pages while the ten before them are delivered.
 */
async function fanOutAcross(
  ctx: Ctx,
  placed: TimelineTweet,
  progress: FanOutProgress,
  pages: number,
): Promise<Stamp | undefined> {
  const delivery = new Delivery(ctx, placed);
  const { fanoutPage } = ctx.config;
  // Reading 5,000 followers takes Redis about a millisecond.
  const pagesAtOnce = fanoutPage > 1000 ? 1 : 5;
  let saved: Promise<unknown> = Promise.resolve();
  let end: Stamp | undefined = progress.done;
  for (let read = 0; end !== undefined && read < pages;) {
    const some = Math.min(pagesAtOnce, pages - read);
    const limit = some * fanoutPage;
    const { ids, last } = await followerIdsAfter(ctx, placed.author, { after: end, limit });
    delivery.add(await concerned(ctx, placed, ids));
    end = last;
    read += some;
    if (last === undefined || read % pagesBetweenSaves > 0) continue;
    const before = saved;
    saved = Promise.all([before, delivery.finish()]).then(() => progress.save(last));
    // The next pages get the failure; this only avoids an unhandled rejection before.
    saved.catch(() => {});
    await before;
  }
  await Promise.all([saved, delivery.finish()]);
  return end;
}

/** A reply goes only to followers who also follow the answered user, and to that user. */
async function concerned(ctx: Ctx, { inReplyToUser }: TimelineTweet, ids: Buffer): Promise<Buffer> {
  if (inReplyToUser === undefined || ids.length === 0) return ids;
  const followers = ids.toString("latin1").split(" ") as UserId[];
  const both = await followersNow(ctx, inReplyToUser, followers);
  const some = followers.filter((follower) => follower === inReplyToUser || both.has(follower));
  return Buffer.from(some.join(" "));
}

/** Followers per script call; Redis does nothing else while it runs, about a millisecond. */
const followersAtOnce = 240;
/** After a crash at most this many pages are repeated, which changes nothing. */
const pagesBetweenSaves = 10;

const slotsOf = perClient(limitCalls);

/**
 * A fan-out on a server that holds all keys: the script reads the followers itself. Each step ends at a stamp
 * that is known before it begins, so several can run at once. See fanOut.
 */
async function fanOutInside(
  ctx: Ctx,
  placed: TimelineTweet,
  progress: FanOutProgress,
  pages: number,
): Promise<Stamp | undefined> {
  const { fanoutPage } = ctx.config;
  const size = Math.min(followersAtOnce, fanoutPage);
  const [most, betweenSaves] = [pages, pagesBetweenSaves].map((some) =>
    Math.ceil((some * fanoutPage) / size),
  ) as [number, number];
  const runStep = stepOf(ctx, placed, size);
  const inSlot = slotsOf(ctx);
  const run = { from: String(progress.done), begun: 0, finished: 0 };
  let last: Promise<unknown> = Promise.resolve();
  // The first step does not wait for a slot: most tweets need only this one.
  const serve: RunStep = async (...step) =>
    await (run.begun === 1 ? runStep(...step) : inSlot(async () => await runStep(...step)));
  const stop = (error: unknown) => {
    run.begun = most;
    throw error;
  };
  const worker = async (ends: (string | null)[]) => {
    for (let end = ends.shift(); typeof end === "string"; end = ends.shift()) {
      run.begun += 1;
      // A step counts as finished after all steps before it: then all followers before its end have the tweet.
      const served = Promise.all([serve(run.from, end, callsInFlight * size), last]);
      last = served;
      run.from = end;
      const [next] = await served;
      ends.push(next);
      run.finished += 1;
      const isDue = end !== "+inf" && run.finished % betweenSaves === 0;
      if (isDue) await progress.save(Number(end));
      if (run.begun >= most) return;
    }
  };
  for (;;) {
    const ahead = Array.from({ length: callsInFlight }, (_, nth) => (nth + 1) * size);
    const ends = await Promise.all(ahead.map((count) => runStep(run.from, run.from, count)));
    if (ends[0] === null) return undefined;
    if (run.begun >= most) return Number(run.from);
    await Promise.all(ahead.map(async () => await worker(ends).catch(stop)));
    if (run.from === "+inf") return undefined;
    // If followers left meanwhile, fewer than expected were ahead: look again for the followers after them.
  }
}

type RunStep = (from: string, upTo: string, ahead: number) => Promise<string | null>;

/** See fan-out.lua. */
function stepOf({ redis, config }: Ctx, placed: TimelineTweet, size: number): RunStep {
  const { author, inReplyToUser, tweet, stamp } = placed;
  const cap = config.timelineCap;
  const [before = "", after = ""] = keys.homeTimeline(userId(7)).split("7");
  const homes = [before, after];
  const repliedTo =
    inReplyToUser === undefined ? [] : [inReplyToUser, keys.followers(inReplyToUser)];
  const about = [tweet, stamp, cap, keptWhenCut(cap)];
  const key = keys.followers(author);
  return async (from, upTo, ahead) =>
    await redis.fanOut(key, ...about, from, upTo, ahead, size, ...homes, ...repliedTo);
}
