import type { Drill } from "./lab/drill.ts";
import { inside } from "./lab/inside.ts";
import type { Lab } from "./lab/lab.ts";
import { Load } from "./lab/load.ts";
import { untilWell } from "./lab/recovery.ts";
import type { RedisServer } from "./lab/redis.ts";
import { Remover } from "./lab/remover.ts";
import type { SiteProcess } from "./lab/site.ts";
import { checkAll } from "./lab/verdict.ts";
import { Witness } from "./lab/witness.ts";

const fullMilliseconds = 12_000;
/** A line a second and process, and a few about what began and ended. */
const linesAllowed = (fullMilliseconds / 1000) * 2 + 10;

/** Redis refuses all that needs memory; what frees some must work, or it stays full. */
export const memoryFull: Drill = {
  number: 8,
  name: "memory-full",
  fault: "out of memory, noeviction",
  passes: "reads, log-out, delete, unfollow, block work; log quiet; drains",
  seconds: 150,
  run,
};

async function run(lab: Lab): Promise<void> {
  const redis = await lab.redis();
  const ctx = await inside(lab, [redis.url]);
  const worker = lab.worker(redis.url);
  const web = await lab.web(redis.url);
  const load = await Load.prepare(lab, web, ctx);
  const witness = await Witness.prepare(lab, load, ctx);
  const remover = await Remover.prepare(lab, ctx, load);
  load.start();
  await load.during(3000);

  const linesBefore = await linesOf(web, worker);
  await limitMemory(redis, "full");
  const fullAt = performance.now();
  await witness.untilReadOnly();
  lab.say("full");
  await remover.removeAll(lab);
  await witness.readOnlyDuring(fullMilliseconds - (performance.now() - fullAt));
  const lines = (await linesOf(web, worker)) - linesBefore;
  lab.report.notes.push(`${lines} lines in the log in ${fullMilliseconds / 1000} s`);
  lab.report.expect(lines <= linesAllowed, "the log is not quiet", `${lines} lines`);
  await limitMemory(redis, "enough");

  const { written, delivered } = await untilWell(lab, load);
  lab.report.notes.push(`written after ${written} ms, at home after ${delivered} ms`);
  lab.report.recovered(written, 5000);
  await load.stop();
  await checkAll(lab, ctx, load, { redisUrl: redis.url });
  await remover.checkRemoved(lab);
}

async function limitMemory(redis: RedisServer, to: "full" | "enough"): Promise<void> {
  await redis.ask((one) => one.config("SET", "maxmemory", to === "full" ? "1mb" : "0"));
}

async function linesOf(...sites: SiteProcess[]): Promise<number> {
  const logs = await Promise.all(sites.map((site) => site.process.log()));
  return logs.join("").split("\n").length;
}
