import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { findServer } from "../../../src/redis/private-process.ts";
import { sparePort } from "./ports.ts";
import { Process } from "./process.ts";

export interface RedisOptions {
  /** As in redis.conf, after and over the defaults: `["--appendfsync", "always"]`. */
  flags?: (string | number)[];
  /** Such as LD_PRELOAD. */
  env?: Record<string, string>;
  /** Its data; a new folder of the lab otherwise. */
  dir?: string;
}

/** How the private server of `npm start` is run, but on TCP: a drill may want to stand in between. */
const defaults = `--bind 127.0.0.1 --appendonly yes --appendfsync everysec
  --maxmemory-policy noeviction`.split(/\s+/);

/** A Redis that can be killed and started again on its data. */
export class RedisServer {
  readonly port: number;
  readonly url: string;
  readonly dir: string;
  process: Process | undefined;
  readonly #options: RedisOptions;

  private constructor(port: number, dir: string, options: RedisOptions) {
    this.port = port;
    this.url = `redis://127.0.0.1:${port}`;
    this.dir = dir;
    this.#options = { ...options };
  }

  /** Does not start it yet. */
  static async at(dir: string, options: RedisOptions): Promise<RedisServer> {
    mkdirSync(dir, { recursive: true });
    return new RedisServer(await sparePort(), dir, options);
  }

  /** Resolves once it answers and has loaded its data. Flags that are given here count from now on. */
  async start(flags = this.#options.flags ?? []): Promise<void> {
    const { env = {} } = this.#options;
    this.#options.flags = flags;
    const place = ["--port", this.port, "--dir", this.dir, "--save", ""];
    const args = [...defaults, ...place, ...flags].map(String);
    const started = new Process(
      await findServer(),
      args,
      { LC_ALL: "C", ...env },
      join(this.dir, "redis.log"),
    );
    this.process = started;
    await this.ask(async (redis) => {
      while (!(await isReady(redis))) {
        if (started.hasEnded) throw new Error(`Redis ended: ${(await started.log()).slice(-500)}`);
        await sleep(10);
      }
    });
  }

  /** kill -9. */
  async kill(): Promise<void> {
    await this.process?.kill();
  }

  /** Runs one piece of work on a connection of its own. */
  async ask<Result>(work: (redis: Redis) => Promise<Result>): Promise<Result> {
    const redis = new Redis({
      port: this.port,
      maxRetriesPerRequest: null,
      retryStrategy: () => 10,
    });
    redis.on("error", () => {});
    try {
      return await work(redis);
    } finally {
      redis.disconnect();
    }
  }
}

/** False while it loads. */
async function isReady(redis: Redis): Promise<boolean> {
  const answer = redis.ping().catch(() => "");
  return (await Promise.race([answer, sleep(200, "")])) === "PONG";
}
