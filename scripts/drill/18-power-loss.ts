import { makeShim } from "./faults/shim.ts";
import { askDoctor } from "./lab/doctor.ts";
import { type Drill, NotRun } from "./lab/drill.ts";
import { inside, untilIdle } from "./lab/inside.ts";
import type { Lab } from "./lab/lab.ts";
import { Load } from "./lab/load.ts";
import { checkAll } from "./lab/verdict.ts";

/** The last second, and the time that an fsync takes. */
const mostLost = 1000 + 300;

export const powerLoss: Drill = {
  number: 18,
  name: "power-loss",
  fault:
    "power loss of Redis' machine, then of all: its files are cut to what had been synced; everysec",
  passes: "≤ 1 s lost, doctor repairs the rest",
  seconds: 120,
  run,
};

async function run(lab: Lab): Promise<void> {
  const shim = await makeShim(lab.folder);
  if (shim === undefined) throw new NotRun("there is no C compiler to note what was synced");
  const redis = await lab.redis({ env: shim.env, flags: ["--appendfsync", "everysec"] });
  const ctx = await inside(lab, [redis.url]);
  let worker = lab.worker(redis.url);
  let web = await lab.web(redis.url);
  const door = { url: web.url };
  const load = await Load.prepare(lab, door, ctx);
  lab.report.answers.tolerated.add("reset").add("refused");
  const losses: number[] = [];
  let oldest = 0;
  lab.report.mayBeLost = (at: number) => {
    const age = Math.min(...losses.map((moment) => moment - at).filter((one) => one > -1000));
    oldest = Math.max(oldest, age);
    return age <= mostLost;
  };
  load.start();
  for (const isEverything of [false, true]) {
    await load.during(6000 + Math.random() * 1000);
    losses.push(Date.now());
    const gone = isEverything ? [web, worker].map((one) => one.process.kill()) : [];
    await Promise.all([redis.kill(), ...gone]);
    const bytes = await shim.losePower(redis.dir);
    await redis.start();
    if (isEverything) {
      worker = lab.worker(redis.url);
      web = await lab.web(redis.url);
      door.url = web.url;
    }
    const took = await load.recovered(3000);
    lab.say(`${bytes} bytes were not synced; served again after ${Math.round(took)} ms`);
    lab.report.expect(bytes > 0, "nothing was cut: the drill shows nothing");
  }
  await load.during(1000);
  await load.stop();
  await untilIdle(ctx);
  const { counts, left } = await askDoctor(redis.url, { repair: true });
  const kinds = Object.entries(counts).map(([kind, count]) => `${count} × ${kind}`);
  lab.report.notes.push(`the doctor found ${kinds.join(", ") || "nothing"}, and left ${left}`);
  await checkAll(lab, ctx, load, { redisUrl: redis.url });
  lab.report.notes.push(`the oldest of what was lost was ${Math.round(oldest)} ms old`);
}
