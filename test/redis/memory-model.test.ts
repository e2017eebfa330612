import { setTimeout as sleep } from "node:timers/promises";
import {
  array,
  assert,
  asyncProperty,
  constant,
  constantFrom,
  nat,
  oneof,
  option,
  record,
} from "fast-check";
import type { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  killOneOf,
  type MemoryProcess,
  type MemoryProcesses,
  startProcesses,
} from "../support/world/memory-process.ts";
import { runs } from "../support/models/property-runs.ts";

interface Step {
  does: "write" | "script" | "read" | "killReader" | "killListener";
  by: number;
  name: string;
}
interface Undoing {
  does: "flush" | "expire" | "delete";
  by: number;
  name: string;
}

const by = nat({ max: 2 });
const names = ["a", "b", "c"];
const name = constantFrom(...names);
const step = oneof(
  { weight: 6, arbitrary: record<Step>({ does: constantFrom("write", "script"), by, name }) },
  { weight: 6, arbitrary: record<Step>({ does: constant("read"), by, name }) },
  {
    weight: 1,
    arbitrary: record<Step>({ does: constantFrom("killReader", "killListener"), by, name }),
  },
);
/** The steps are taken at the same time; then, alone, one that takes a value back. */
const round = record({
  steps: array(step, { minLength: 1, maxLength: 12 }),
  undoing: option(record<Undoing>({ does: constantFrom("flush", "expire", "delete"), by, name }), {
    freq: 3,
  }),
});

describe("memories of several processes", () => {
  let started: MemoryProcesses;
  let processes: MemoryProcess[];
  const at = (index: number) => processes[index] as MemoryProcess;

  beforeAll(async () => {
    started = await startProcesses(3);
    ({ processes } = started);
  });
  afterAll(() => started.close());

  /** Every process shows what Redis holds, sooner or later; fails by the test's own time limit. */
  async function untilAllAgree(): Promise<void> {
    for (const one of names) {
      const truth = Number((await at(0).redis.hget(one, "version")) ?? 0);
      for (const { recall } of processes) while ((await recall(one)) !== truth) await sleep(1);
    }
  }

  /** What was shown that was older than what the same process had written. */
  async function take({ does, by: nth, name: of }: Step): Promise<string[]> {
    const { redis, memory, recall } = at(nth);
    if (does === "write" || does === "script") {
      const version = Number(await bump(redis as Redis, does, of));
      await memory.settled();
      const seen = await recall(of);
      return seen >= version ? [] : [`${of} as ${seen}, not ${version}`];
    }
    if (does === "read") await recall(of);
    else await killOneOf(redis as Redis, does === "killReader" ? "t" : "P", nth);
    return [];
  }

  async function undo({ does, by: nth, name: of }: Undoing): Promise<string[]> {
    const { redis, memory, recall } = at(nth);
    if (does === "flush") await redis.flushall();
    if (does === "delete") await redis.del(of);
    if (does === "expire") {
      await redis.pexpire(of, 20);
      await memory.settled();
      await recall(of);
      await sleep(25);
      // That its time is over is known without being told.
    } else await memory.settled();
    const seen = await recall(of);
    return seen === 0 ? [] : [`${of} as ${seen} after ${does}`];
  }

  it("no process shows less than it wrote, whatever others write and wherever connections break", async () => {
    await assert(
      asyncProperty(array(round, { minLength: 1, maxLength: 6 }), async (rounds) => {
        for (const { steps, undoing } of rounds) {
          const stale = await Promise.all(steps.map(take));
          expect(stale.flat()).toEqual([]);
          expect(undoing === null ? [] : await undo(undoing)).toEqual([]);
          await untilAllAgree();
        }
      }),
      runs(60),
    );
  });
});

async function bump(redis: Redis, does: "write" | "script", key: string): Promise<unknown> {
  if (does === "write") return await redis.hincrby(key, "version", 1);
  return await redis.eval("return redis.call('HINCRBY', KEYS[1], 'version', 1)", 1, key);
}
