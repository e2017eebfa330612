import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Config, parseConfig } from "../../../src/config.ts";
import { sparePort } from "./ports.ts";
import { Process } from "./process.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** As in production, behind a proxy that speaks https and adds the clients' addresses. */
export const settings = {
  // Users of a drill are all new, and act faster than people.
  // Drills look into home timelines for all that users of a load write.
  TIMELINE_CAP: "800",
  LIMIT_FIRST_DAY: "100%",
  LIMIT_NOTICES: "1000000/1d",
  NODE_ENV: "production",
  HOST: "127.0.0.1",
  BASE_URL: "https://drill.example",
  TRUST_PROXY: "1",
  SESSION_SECRET: "only-for-a-drill-only-for-a-drill-only",
  LOG_LEVEL: "warn",
  INLINE_WORKER: "false",
};

/** For code of the site in the drill's own process: what it cuts or expires is what the site would. */
export function configInside(more: Record<string, string>): Config {
  return parseConfig({ ...settings, LOG_LEVEL: "silent", ...more });
}

/** A process of the built site, web or worker. */
export interface SiteProcess {
  process: Process;
  /** Of a web process. */
  url: string;
}

export interface SiteOptions {
  /** Settings on top of the usual ones, see .env.example; also LD_PRELOAD and the like. */
  env?: Record<string, string>;
  /** Of Node.js itself. */
  nodeArgs?: string[];
  /** A command that runs Node.js, such as `["faketime", "-f", "-1h"]`. */
  under?: string[];
  /** Undefined: a spare one. */
  port?: number;
  /** The folder of the program, of another version; undefined: this one. */
  program?: string;
}

export async function launchWeb(
  folder: string,
  name: string,
  redisUrl: string,
  options: SiteOptions = {},
): Promise<SiteProcess> {
  const port = options.port ?? (await sparePort());
  const env = { PORT: String(port), ...options.env };
  const started = launch(folder, name, "dist/web.js", redisUrl, { ...options, env });
  return { process: started, url: `http://127.0.0.1:${port}` };
}

/** The whole site as `npm start` has it, with a private Redis in `folder`. */
export async function launchWhole(folder: string, options: SiteOptions = {}): Promise<SiteProcess> {
  const port = options.port ?? (await sparePort());
  const env = { INLINE_WORKER: "true", PORT: String(port), ...options.env };
  const started = launch(folder, "whole", "dist/start.js", "", { ...options, env });
  return { process: started, url: `http://127.0.0.1:${port}` };
}

export function launchWorker(
  folder: string,
  name: string,
  redisUrl: string,
  options: SiteOptions = {},
): SiteProcess {
  return { process: launch(folder, name, "dist/worker.js", redisUrl, options), url: "" };
}

function launch(
  folder: string,
  name: string,
  script: string,
  redisUrl: string,
  { env = {}, nodeArgs = [], under = [], program = root }: SiteOptions,
): Process {
  const line = [...under, process.execPath, ...nodeArgs, join(program, script)];
  const [command = "", ...args] = line;
  const all = { ...settings, DATA_DIR: folder, REDIS_URL: redisUrl, ...env };
  return new Process(command, args, all, join(folder, `${name}.log`));
}

/** Milliseconds until the path answers 200; throws if the process ends before, or after `patience`. */
export async function untilServing(
  { url, process: running }: SiteProcess,
  path = "/readyz",
  patience = 30_000,
): Promise<number> {
  const began = performance.now();
  for (;;) {
    const signal = AbortSignal.timeout(5000);
    const headers = { "X-Forwarded-Proto": "https", "X-Forwarded-For": "192.0.2.1" };
    const answer = await fetch(url + path, { signal, headers }).catch(() => undefined);
    await answer?.text().catch(() => "");
    const took = performance.now() - began;
    if (answer?.status === 200) return took;
    if (running.hasEnded) throw new Error(`the site ended: ${(await running.log()).slice(-1000)}`);
    if (took > patience) throw new Error(`${path} did not answer 200 within ${patience / 1000} s`);
    await sleep(25);
  }
}
