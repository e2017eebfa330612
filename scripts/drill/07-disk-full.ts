import { smallDisk } from "./faults/small-disk.ts";
import { type Drill, NotRun } from "./lab/drill.ts";
import { inside } from "./lab/inside.ts";
import type { Lab } from "./lab/lab.ts";
import { Load } from "./lab/load.ts";
import { untilWell } from "./lab/recovery.ts";
import { checkAll } from "./lab/verdict.ts";
import { Witness } from "./lab/witness.ts";

/** Redis cannot append to its file, refuses every write, and must be left to heal by itself. */
export const diskFull: Drill = {
  number: 7,
  name: "disk-full",
  fault: "disk full (a small tmpfs) for 10 s",
  passes: "reads 200, writes 503, heals by itself",
  seconds: 120,
  run,
};

async function run(lab: Lab): Promise<void> {
  const disk = await smallDisk(lab, 64);
  if (disk === undefined) throw new NotRun("a small disk needs root and mount");
  const redis = await lab.redis({ dir: `${disk.folder}/redis` });
  const ctx = await inside(lab, [redis.url]);
  lab.worker(redis.url);
  const web = await lab.web(redis.url);
  const load = await Load.prepare(lab, web, ctx);
  const witness = await Witness.prepare(lab, load, ctx);
  load.start();
  await load.during(3000);
  disk.fill();
  await witness.untilReadOnly();
  lab.say("full");
  await witness.readOnlyDuring(10_000);
  disk.free();
  const { written, delivered } = await untilWell(lab, load);
  lab.report.notes.push(`written after ${written} ms, at home after ${delivered} ms`);
  lab.report.recovered(written, 5000);
  await load.during(2000);
  await load.stop();
  await checkAll(lab, ctx, load, { redisUrl: redis.url });
}
