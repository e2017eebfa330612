import { setMaxListeners } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { allEnded, killAll } from "./process.ts";
import { type RedisOptions, RedisServer } from "./redis.ts";
import { Report } from "./report.ts";
import {
  launchWeb,
  launchWhole,
  launchWorker,
  type SiteOptions,
  type SiteProcess,
  untilServing,
} from "./site.ts";

/**
 * Where a drill takes place: a folder, and processes that end with it, also when the drill fails or
 * is interrupted.
 */
export class Lab {
  readonly folder: string;
  readonly report = new Report();
  /** Aborted when the drill is over, or has taken too long: what waits and repeats ends then. */
  readonly ended: AbortSignal;
  /** Shows progress. */
  readonly say: (line: string) => void;
  readonly #ending = new AbortController();
  readonly #cleanups: (() => unknown)[] = [];
  readonly #sites: SiteProcess[] = [];
  #count = 0;

  private constructor(folder: string, say: (line: string) => void) {
    this.folder = folder;
    this.say = say;
    this.ended = this.#ending.signal;
    setMaxListeners(0, this.ended);
  }

  static async open(say: (line: string) => void): Promise<Lab> {
    return new Lab(await mkdtemp(join(tmpdir(), "suzume-drill-")), say);
  }

  /** A Redis server of the drill's own, started. */
  async redis(options: RedisOptions = {}): Promise<RedisServer> {
    const dir = options.dir ?? join(this.folder, `redis-${(this.#count += 1)}`);
    const server = await RedisServer.at(dir, options);
    await server.start();
    return server;
  }

  /** A web process, once it reaches its Redis and has compiled its first templates. */
  async web(redisUrl: string, options: SiteOptions = {}): Promise<SiteProcess> {
    const site = await this.launchWeb(redisUrl, options);
    for (const path of ["/readyz", "/", "/login"]) await untilServing(site, path);
    return site;
  }

  /** A web process that may have to wait for its Redis. */
  async launchWeb(redisUrl: string, options: SiteOptions = {}): Promise<SiteProcess> {
    const name = `web-${(this.#count += 1)}`;
    return this.#noted(await launchWeb(this.folder, name, redisUrl, options));
  }

  /** The whole site with a private Redis in `folder`, once it serves. */
  async whole(folder: string, options: SiteOptions = {}): Promise<SiteProcess> {
    const site = this.#noted(await launchWhole(folder, options));
    this.onClose(async () => {
      // It ends its private Redis itself, which a kill would leave running.
      site.process.signal("SIGTERM");
      await site.process.ended();
    });
    for (const path of ["/readyz", "/", "/login"]) await untilServing(site, path);
    return site;
  }

  worker(redisUrl: string, options: SiteOptions = {}): SiteProcess {
    const name = `worker-${(this.#count += 1)}`;
    return this.#noted(launchWorker(this.folder, name, redisUrl, options));
  }

  /** Whatever a drill is about, no process of the site may end by itself. */
  async tellCrashes(): Promise<void> {
    for (const { process } of this.#sites)
      if (process.hasCrashed)
        this.report.problem("a process crashed", (await process.log()).trim().slice(-600));
  }

  /** Done when the lab closes, the latest first; what it throws does not matter by then. */
  onClose(cleanup: () => unknown): void {
    this.#cleanups.unshift(cleanup);
  }

  #noted(site: SiteProcess): SiteProcess {
    this.#sites.push(site);
    return site;
  }

  async close(): Promise<void> {
    this.#ending.abort();
    for (const cleanup of this.#cleanups)
      await (async () => cleanup())().catch((error: unknown) => this.say(String(error)));
    killAll();
    await allEnded();
    await rm(this.folder, { recursive: true, force: true });
  }
}
