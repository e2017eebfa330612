import type { Config } from "../config.ts";
import { stampToDate } from "../domain/ids.ts";
import { days, type Row } from "../redis/key-rows.ts";
import { keys } from "../redis/keys.ts";
import { eachKey, eachTarget, type Run, type Target, unlink } from "./run.ts";
import { type Item, rowOf } from "./items.ts";

const sizeOf = { string: "strlen", hash: "hlen", zset: "zcard", stream: "xlen" } as const;

type State = Awaited<ReturnType<typeof readKey>>;

/** Faults of a key, independent of its contents. */
const anyKey = eachTarget({
  read: readKey,
  faults: {
    "wrong-type": [
      {
        detail: (state) => state.row.cache && wrongType(state),
        how: "delete it; it is made again",
        repair: unlink,
      },
      { detail: wrongType },
    ],
    expiry: {
      detail: (state) =>
        isSound(state) &&
        state.row.ttl === undefined &&
        state.life >= 0 &&
        `vanishes in ${state.life} s, though it is to stay`,
      how: "let it stay",
      repair: ({ ctx }, { key }) => ctx.redis.persist(key),
    },
    "no-expiry": {
      detail: (state) =>
        isSound(state) &&
        state.seconds !== undefined &&
        state.life === -1 &&
        `lives for ever, though it is to expire after ${state.seconds} s`,
      how: "let it expire",
      async repair({ ctx }, { key, seconds }) {
        if (seconds !== undefined) await ctx.redis.expire(key, seconds, "NX");
      },
    },
    "too-large": [
      {
        detail: (state) => state.row.newest !== undefined && tooLarge(state),
        how: "keep the newest",
        repair: ({ ctx }, { key, most }) => ctx.redis.zremrangebyrank(key, 0, -most - 1),
      },
      { detail: tooLarge },
    ],
  },
});

/** `type`: "none" if it is gone. `life`: TTL, -1 for none. `seconds`: TTL for a key that lacks it, if it needs one. */
async function readKey({ ctx: { redis, config } }: Run, item: Item) {
  const row = rowOf(item.name);
  const most = mostOf(row);
  const [type, life] = await Promise.all([redis.type(item.key), redis.ttl(item.key)]);
  const count = row.type && most !== Infinity && type === row.type ? sizeOf[row.type] : undefined;
  const size = count === undefined ? 0 : await redis[count](item.key);
  return { ...item, row, type, life, size, most, seconds: secondsOf(row, config) };
}

/** A home timeline may be longer, filled under a larger TIMELINE_CAP: the next delivery cuts it. */
function mostOf({ most = Infinity, spare = 0 }: Row): number {
  return most === "TIMELINE_CAP" ? Infinity : most + spare;
}

function secondsOf({ ttl }: Row, config: Config): number | undefined {
  if (ttl === "TIMELINE_TTL_DAYS") return config.timelineTtlDays * days;
  return ttl === "sometimes" ? undefined : ttl;
}

/** Returns the keys of the right type; suspects wrong types, TTLs and sizes. */
export async function soundKeys(run: Run, items: Item[]): Promise<Item[]> {
  const states = await run.look(anyKey, items);
  const sound = new Set(states.filter(isSound).map(({ key }) => key));
  return items.filter(({ key }) => sound.has(key));
}

function isSound(state: State): boolean {
  return state.type !== "none" && wrongType(state) === false;
}

function wrongType({ type, row }: State): string | false {
  const isRight = type === "none" || row.type === undefined || type === row.type;
  return !isRight && `a ${type} where a ${row.type} belongs`;
}

function tooLarge(state: State): string | false {
  const { size, most } = state;
  return isSound(state) && size > most && `size ${size}, where ${most} is the most`;
}

export const unknownKeys = eachTarget({
  read: async ({ ctx }, target: Target) =>
    (await ctx.redis.exists(target.key)) === 1 ? target : undefined,
  faults: { "unknown-key": () => "no key of Suzume is named so" },
});

/** Max microseconds between two clocks. */
const tolerated = 5 * 60 * 1e6;

/** No user or tweet is from the future: it would stay above all new ones until then. */
export const future = eachKey({
  of: ["user", "tweet"],
  read: async ({ ctx: { redis } }, item) => {
    return { ...item, stamp: Number(await redis.hget(item.key, "created_at")) };
  },
  faults: {
    future: ({ stamp }, { ctx }) =>
      stamp > ctx.now() * 1000 + tolerated &&
      `was made on ${stampToDate(stamp).toISOString()}: look at the clocks`,
  },
});

/** An id that is further ahead of its counter is taken for damaged, and the counter is not raised. */
const mostAhead = 10_000_000;

/** `highest`: the highest id that was found. */
type Counter = { key: string; which: string; highest: number };

const counterCheck = eachTarget({
  read: async ({ ctx }, one: Counter) => ({ ...one, present: await ctx.redis.get(one.key) }),
  faults: {
    counter: {
      detail: ({ which, highest, present }) =>
        Number(present) < highest && `stands at ${present ?? 0}, though ${which} ${highest} exists`,
      how: "raise it to that id",
      async repair({ ctx }, { key, highest, present }) {
        if (Number.isSafeInteger(highest) && highest - Number(present) <= mostAhead)
          await ctx.redis.takeIds(key, highest, 0, 0);
      },
    },
  },
});

/** A counter below a used id would give that id out again. Called after all ids were seen. */
export async function checkCounters(run: Run): Promise<void> {
  const { user, tweet, app } = run.maxIds;
  await run.look(counterCheck, [
    { key: keys.userIds, which: "user", highest: user },
    { key: keys.tweetIds, which: "tweet", highest: tweet },
    { key: keys.appIds, which: "app", highest: app },
  ]);
}
