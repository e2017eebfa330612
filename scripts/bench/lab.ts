import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { type Config, parseConfig } from "../../src/config.ts";
import type { Ctx } from "../../src/context.ts";
import { follow } from "../../src/domain/actions/follow.ts";
import type { UserId } from "../../src/domain/ids.ts";
import { prepareHome } from "../../src/domain/timelines/home.ts";
import { hashPassword } from "../../src/domain/users/passwords.ts";
import { createUser } from "../../src/domain/users/sign-up.ts";
import { createQueues } from "../../src/jobs/queue.ts";
import { connect, waitUntilReady } from "../../src/redis/client.ts";
import { startMemory } from "../../src/redis/memory.ts";
import { startPrivateServer } from "../../src/redis/private-server.ts";

/** Limits, many times as wide as a site's: scripts do in a minute what people do in a year. */
export const unlimited = 1_000_000;

export const password = "bench-sparrow";

/** A private Redis with its append-only file on, and a context to fill it through the real verbs. */
export interface Lab {
  ctx: Ctx;
  socket: string;
  /** Of the processes; they keep pictures there. */
  dataDir: string;
  /** 1 for the sizes that the documents name; less for a try. */
  scale: number;
  /** How long a load or a pause lasts: as wanted, or a moment where all parts are only shown to run. */
  seconds(wanted: number): number;
  /** How often something is measured: as wanted, or twice where all parts are only shown to run. */
  times(wanted: number): number;
  /** Shows progress. */
  say(line: string): void;
  /** Empties Redis. */
  clear(): Promise<void>;
  /** Runs when the lab closes, or at once if it is closed; may have nothing left to do by then. */
  onClose(cleanup: () => Promise<unknown>): void;
  /** Ends what was started in the lab, then its Redis. May be called twice. */
  close(): Promise<void>;
}

/** Settings that every process of a bench shares. */
export const settings = {
  LOG_LEVEL: "warn",
  // The figure to beat is a fan-out to 210,000: no account may count as big here.
  BIG_ACCOUNT_FOLLOWERS: "1000000000",
  SESSION_SECRET: "only-for-a-bench-only-for-a-bench-only",
  METRICS_TOKEN: "only-for-a-bench",
  // Of the machine itself: there plain http is enough.
  BASE_URL: "http://127.0.0.1",
};

/** Whether all parts are only shown to run: their figures say nothing. */
export const isTry = (scale: number) => scale < 0.1;

export async function openLab(scale: number, say: (line: string) => void): Promise<Lab> {
  const dataDir = await mkdtemp(join(tmpdir(), "suzume-bench-"));
  const server = await startPrivateServer({ dataDir });
  const config: Config = { ...parseConfig(settings), limitFactor: unlimited };
  const log = pino({ level: "warn" }, pino.destination(2));
  const redis = connect({ urls: [server.socket] }, "worker", config, (error) => log.error(error));
  await waitUntilReady(redis, 5000);
  const queues = createQueues(redis, (error) => log.error(error));
  // Nothing crashes while the data are made, so nothing needs to be settled afterwards; and these
  // people are not searched for.
  const jobs = { ...queues, chore: async () => {} };
  const cleanups: (() => Promise<unknown>)[] = [];
  let closing: Promise<void> | undefined;
  /** A Redis with clients would not stop: they go first. */
  const close = async () => {
    await Promise.all(cleanups.map((cleanup) => cleanup()));
    await queues.close();
    redis.disconnect();
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  return {
    ctx: {
      redis,
      memory: startMemory(redis, { bytes: 0 }),
      storage: undefined,
      jobs,
      log,
      now: Date.now,
      config,
    },
    socket: server.socket,
    dataDir,
    scale,
    seconds: (wanted) => (isTry(scale) ? 0.3 : wanted),
    times: (wanted) => (isTry(scale) ? 2 : wanted),
    say,
    clear: async () => void (await redis.flushall()),
    onClose(cleanup) {
      if (closing === undefined) cleanups.push(cleanup);
      else void cleanup();
    },
    close: () => (closing ??= close()),
  };
}

/** `count` people named PREFIX_N, with home timelines, and one password for all. */
export async function makePeople(lab: Lab, prefix: string, count: number): Promise<UserId[]> {
  const pass = await hashPassword(password, lab.ctx.config.bcryptCost);
  const ids: UserId[] = [];
  await each(lab, `people ${prefix}`, count, async (nth) => {
    const name = `${prefix}_${nth}`;
    const id = await createUser(lab.ctx, { name, fullname: `Bench Person ${nth}`, pass });
    await prepareHome(lab.ctx, id, "new");
    ids[nth] = id;
  });
  return ids;
}

/** Lets `follower` follow the first `count` authors. */
export async function followFirst(
  lab: Lab,
  follower: UserId,
  authors: UserId[],
  count: number,
): Promise<void> {
  await each(lab, `follows of ${follower}`, count, async (nth) => {
    const followee = authors[nth];
    if (followee !== undefined) await follow(lab.ctx, { follower, followee });
  });
}

/** Runs `work` for 0 … total-1, many at once. */
export async function each(
  lab: Lab,
  label: string,
  total: number,
  work: (nth: number) => Promise<unknown>,
): Promise<void> {
  const began = performance.now();
  let next = 0;
  const lane = async () => {
    for (let nth = next++; nth < total; nth = next++) await work(nth);
  };
  await Promise.all(Array.from({ length: 256 }, lane));
  lab.say(`${label}: ${total} in ${((performance.now() - began) / 1000).toFixed(1)} s`);
}
