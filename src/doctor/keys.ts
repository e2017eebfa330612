import type { Config } from "../config.ts";
import { stampToDate } from "../domain/stamp.ts";
import { days, type Row } from "../redis/key-rows.ts";
import { type Check, checkOf, type Run, keyCheck, type Target } from "./run.ts";
import { type Item, rowOf } from "./items.ts";

const sizeOf = { string: "strlen", hash: "hlen", zset: "zcard", stream: "xlen" } as const;

interface State extends Item {
  row: Row;
  /** "none" if the key is gone. */
  type: string;
  /** TTL in seconds; -1 for none. */
  life: number;
  size: number;
  /** Max size. */
  most: number;
  /** TTL for a key that lacks it; undefined: it needs none. */
  seconds: number | undefined;
}

/** Faults of a key, independent of its contents. */
const anyKey: Check<Item, State> = {
  async read(run, items) {
    const { config } = run.ctx;
    const typed = await run.ask(items, ({ key }) => ({ type: ["type", key], life: ["ttl", key] }));
    const states = typed.map((item) => {
      const row = rowOf(item.name);
      return { ...item, row, size: 0, most: mostOf(row, config), seconds: secondsOf(row, config) };
    });
    const bounded = states.filter(
      (state) => state.most !== Infinity && state.type === state.row.type,
    );
    const sized = await run.ask(bounded, ({ key, row: { type = "string" } }) => ({
      size: [sizeOf[type], key],
    }));
    for (const [index, state] of bounded.entries()) state.size = sized[index]?.size ?? 0;
    return states;
  },
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
      {
        // The floor is a member of a home timeline, and only its owner may move it.
        detail: (state) => state.row.cache && tooLarge(state),
        how: "delete it; it is made again",
        repair: unlink,
      },
      { detail: tooLarge },
    ],
  },
};

function mostOf({ most = Infinity, spare = 0 }: Row, config: Config): number {
  return most === "TIMELINE_CAP" ? config.timelineCap : most + spare;
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

async function unlink({ ctx }: Run, { key }: State): Promise<void> {
  await ctx.redis.unlink(key);
}

export const unknownKeys = checkOf({
  read: (run, targets: Target[]) => run.ask(targets, ({ key }) => ({ there: ["exists", key] })),
  faults: {
    "unknown-key": ({ there }) => there === 1 && "no key of Suzume is named so",
  },
});

/** Max microseconds between two clocks. */
const tolerated = 5 * 60 * 1e6;

/** No user or tweet is from the future: it would stay above all new ones until then. */
export const future = keyCheck({
  of: ["user", "tweet"],
  read: (run, items) => run.ask(items, ({ key }) => ({ stamp: ["hget", key, "created_at"] })),
  faults: {
    future: ({ stamp }, { ctx }) =>
      Number(stamp ?? 0) > ctx.now() * 1000 + tolerated &&
      `was made on ${stampToDate(Number(stamp)).toISOString()}: look at the clocks`,
  },
});
