import { setPriority } from "node:os";
import type * as BootModule from "../../src/boot.ts";
import type * as ConfigModule from "../../src/config.ts";
import type * as ServeModule from "../../src/serve.ts";

/**
 * A web process or a worker of the built site, as dist/web.js and dist/worker.js start them, but with the clock of the
 * simulation: the parent tells the time. Ends when the parent does.
 */

const dist = (name: string) => new URL(`../../dist/${name}.js`, import.meta.url).href;
const { boot } = (await import(dist("boot"))) as typeof BootModule;
const { readConfig, requireRedis } = (await import(dist("config"))) as typeof ConfigModule;
const { serve } = (await import(dist("serve"))) as typeof ServeModule;

/** What the parent sends: the time, or a question. */
export type Told = { now: number } | "usage" | "end";
/** What it gets back. */
export type Answer = "ready" | { cpuSeconds: number };

const [kind, start, idle] = process.argv.slice(2);
let now = Number(start);
const answer = (message: Answer) => process.send?.(message);

process.once("disconnect", () => process.exit(0));
const config = { ...readConfig(), memoryIdleMilliseconds: Number(idle) };
if (kind === "worker") setPriority(10);
const booted = await boot(config, { urls: requireRedis(config) });
booted.ctx.now = () => now;
await booted.current;
const site = kind === "web" ? await serve(booted) : undefined;
if (site === undefined) booted.work();

process.on("message", (told: Told) => {
  if (typeof told === "object") now = told.now;
  else if (told === "usage") {
    const { user, system } = process.cpuUsage();
    answer({ cpuSeconds: (user + system) / 1e6 });
  } else void end();
});
answer("ready");

async function end(): Promise<void> {
  await site?.close();
  await booted.close();
  process.exit(0);
}
