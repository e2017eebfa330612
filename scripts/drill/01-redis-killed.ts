import { setTimeout as sleep } from "node:timers/promises";
import { makeShim } from "./faults/shim.ts";
import { type Drill, NotRun } from "./lab/drill.ts";
import { inside } from "./lab/inside.ts";
import type { Lab } from "./lab/lab.ts";
import { Load } from "./lab/load.ts";
import { checkAll } from "./lab/verdict.ts";

/** `slower`: milliseconds that an fsync takes longer; with `always` each answer waits for several. */
const rounds = [
  { appendfsync: "everysec", slower: 0 },
  { appendfsync: "always", slower: 0 },
  { appendfsync: "always", slower: 100 },
  { appendfsync: "everysec", slower: 700 },
] as const;

/** With `everysec`, Redis holds its own write back so long while an fsync runs, and answers. */
const heldBack = 2000;
/** Redis' next look at it, and the way from its answer to the user. */
const grace = 500;

export const redisKilled: Drill = {
  number: 1,
  name: "redis-killed",
  fault: "kill -9 Redis under load, everysec and always, fast and slow fsync",
  passes: "promise holds; 503, no hang; serving ≤ 3 s after restart",
  seconds: 120,
  run,
};

async function run(lab: Lab): Promise<void> {
  const shim = await makeShim(lab.folder);
  if (shim === undefined) throw new NotRun("there is no C compiler for a slow fsync");
  const redis = await lab.redis({ env: shim.env });
  const ctx = await inside(lab, [redis.url]);
  lab.worker(redis.url);
  const web = await lab.web(redis.url);
  const load = await Load.prepare(lab, web, ctx);
  const excused: number[] = [];
  lab.report.mayBeLost = (at: number) =>
    excused.some((killedAt) => at > killedAt - heldBack - grace && at <= killedAt + grace);
  load.start();
  for (const { appendfsync, slower } of rounds) {
    await redis.ask((one) => one.config("SET", "appendfsync", appendfsync));
    shim.slowFsync(slower);
    await load.during(5000 + Math.random() * 1000);
    const killedAt = Date.now();
    await redis.kill();
    if (appendfsync === "everysec" && slower > 0) excused.push(killedAt);
    shim.slowFsync(0);
    await sleep(1000);
    await redis.start();
    const took = await load.recovered(3000);
    lab.say(`${appendfsync}, fsync +${slower} ms: served again after ${Math.round(took)} ms`);
  }
  await load.during(1000);
  await load.stop();
  await checkAll(lab, ctx, load, { redisUrl: redis.url });
}
