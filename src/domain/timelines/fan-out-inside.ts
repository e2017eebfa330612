import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { userId } from "../ids.ts";
import type { Stamp } from "../stamp.ts";
import { limitConcurrency } from "../concurrency-limit.ts";
import { perClient } from "../per-client.ts";
import { callsInFlight } from "./delivery.ts";
import { keptWhenCut } from "./home-store.ts";
import type { TimelineTweet, FanOutProgress } from "./store.ts";

/** Followers per script call; Redis does nothing else while it runs, about a millisecond. */
const followersAtOnce = 240;
/** After a crash at most this many pages are repeated, which changes nothing. */
export const pagesBetweenSaves = 10;

/** For all fan-outs of this process together. */
const slotsOf = perClient(() =>
  limitConcurrency({
    what: "steps",
    slots: callsInFlight,
    queueLimit: Infinity,
    retryAfter: 0,
  }),
);

/**
 * A fan-out on a server that holds all keys: the script reads the followers itself. Each step ends at a stamp
 * that is known before it begins, so several can run at once. See fanOut.
 */
export async function fanOutInside(
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
  const concerned =
    inReplyToUser === undefined ? [] : [inReplyToUser, keys.followers(inReplyToUser)];
  const about = [tweet, stamp, cap, keptWhenCut(cap)];
  const key = keys.followers(author);
  return async (from, upTo, ahead) =>
    await redis.fanOut(key, ...about, from, upTo, ahead, size, ...homes, ...concerned);
}
