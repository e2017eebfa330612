import type { Ctx } from "../../context.ts";
import type { RedisClient } from "../../redis/redis-client.ts";
import { keys } from "../../redis/keys.ts";
import { userId } from "../ids.ts";
import type { Stamp } from "../stamp.ts";
import { type TakeTurns, takeTurns } from "../concurrency-limit.ts";
import { keptWhenCut } from "./home-store.ts";
import type { TimelineTweet, Progress } from "./store.ts";

/** How a fan-out is divided. */
export interface Steps {
  /** Followers per script call; Redis does nothing else while it runs. */
  size: number;
  /** Max number of steps. */
  most: number;
  /** Steps between two saves of progress. */
  betweenSaves: number;
  /** Max concurrent steps of all fan-outs on a connection: other commands wait for this many. */
  inFlight: number;
}

/**
 * A fan-out on a server that holds all keys: the script reads the followers itself. Each step ends at a stamp
 * that is known before it begins, so several can run at once. Returns the stamp to continue from; undefined at
 * the end.
 */
export async function fanOutInside(
  ctx: Ctx,
  placed: TimelineTweet,
  progress: Progress,
  { size, most, betweenSaves, inFlight }: Steps,
): Promise<Stamp | undefined> {
  const runStep = stepOf(ctx, placed, size);
  const inTurn = turnsOn(ctx.redis, inFlight);
  const run = { from: String(progress.done), begun: 0, finished: 0 };
  let last: Promise<unknown> = Promise.resolve();
  // The first step does not wait for a turn: most tweets need only this one.
  const serve: RunStep = async (...step) =>
    await (run.begun === 1 ? runStep(...step) : inTurn(async () => await runStep(...step)));
  const stop = (error: unknown) => {
    run.begun = most;
    throw error;
  };
  const lane = async (ends: (string | null)[]) => {
    for (let end = ends.shift(); typeof end === "string"; end = ends.shift()) {
      run.begun += 1;
      // A step counts as finished after all steps before it: then all followers before its end have the tweet.
      const served = Promise.all([serve(run.from, end, inFlight * size), last]);
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
    const ahead = Array.from({ length: inFlight }, (_, nth) => (nth + 1) * size);
    const ends = await Promise.all(ahead.map((count) => runStep(run.from, run.from, count)));
    if (ends[0] === null) return undefined;
    if (run.begun >= most) return Number(run.from);
    await Promise.all(ahead.map(async () => await lane(ends).catch(stop)));
    if (run.from === "+inf") return undefined;
    // If followers left meanwhile, fewer than expected were ahead: look again for the followers after them.
  }
}

const turns = new WeakMap<RedisClient, TakeTurns>();

function turnsOn(redis: RedisClient, atOnce: number): TakeTurns {
  const unlimited = { queueLimit: Infinity, retryAfter: 0 };
  const known = turns.get(redis) ?? takeTurns({ what: "steps", atOnce, ...unlimited });
  turns.set(redis, known);
  return known;
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
