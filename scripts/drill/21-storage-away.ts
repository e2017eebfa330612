import { setTimeout as sleep } from "node:timers/promises";
import type { Ctx } from "../../src/context.ts";
import { awayBucket, awayFolder, type Store } from "./faults/stores.ts";
import type { Drill } from "./lab/drill.ts";
import { inside, makePeople, openQueue } from "./lab/inside.ts";
import type { Lab } from "./lab/lab.ts";
import { Load } from "./lab/load.ts";
import { isPainted, Painter, withoutTomorrow } from "./lab/painter.ts";
import { untilWell } from "./lab/recovery.ts";
import { checkAll } from "./lab/verdict.ts";

const painters = 5;
/** Milliseconds between two acts of one of them. */
const pause = 500;
/** Milliseconds of each fault, and between two. */
const faultMilliseconds = 10_000;
const quietMilliseconds = 6000;
/** Milliseconds after a fault until all must work: the pause of the storage's guard, and the wait of a job. */
const recoveryMilliseconds = 40_000;

export const storageAway: Drill = {
  number: 21,
  name: "storage-away",
  fault:
    "the folder of pictures missing, or a file in its place; a bucket that refuses, or hangs; 10 s each, " +
    `with tweets of ${painters} users that have pictures`,
  passes:
    "no answer is 500; without pictures none is 503, and each ≤ 3 s; forms with pictures come back as typed; all is well afterwards",
  seconds: 280,
  run,
};

async function run(lab: Lab): Promise<void> {
  for (const open of [awayFolder, awayBucket]) await drill(lab, await open(lab));
  const outages = lab.report.answers.statuses["503"] ?? 0;
  lab.report.expect(outages === 0, "an answer without pictures was 503", String(outages));
}

async function drill(lab: Lab, store: Store): Promise<void> {
  const { report } = lab;
  const redis = await lab.redis();
  const ctx = await inside(lab, [redis.url], store.settings);
  lab.worker(redis.url, { env: store.settings });
  const web = await lab.web(redis.url, { env: store.settings });
  const load = await Load.prepare(lab, web, ctx, { users: 8, signUpEvery: 10_000 });
  // Readers of the load do not see their tweets, which come and go.
  const people = await makePeople(ctx, "painter", painters);
  const artists = people.map((person, nth) => new Painter(lab, web, person, 500 + nth));
  for (const artist of artists) await artist.begin();
  report.load += `, and ${painters} tweets with pictures every ${pause} ms`;
  load.start();
  const painting = artists.map((artist) => artist.paint(pause));
  for (const { name, begin } of store.faults) {
    await load.during(quietMilliseconds);
    lab.say(name);
    const before = countRefused(artists);
    const end = await begin();
    await load.during(faultMilliseconds);
    await end();
    const refused = countRefused(artists) - before;
    report.expect(refused > 0, `${name}: no tweet with a picture was refused`);
    report.notes.push(`${name}: ${refused} tweets with pictures refused`);
    const { written } = await untilWell(lab, load);
    report.recovered(written, 3000);
  }
  await load.during(quietMilliseconds);
  for (const artist of artists) artist.stop();
  await Promise.all(painting);
  await load.stop();
  await Promise.all(artists.map((artist) => artist.finish(recoveryMilliseconds)));
  await withoutTomorrow(openQueue(lab, ctx, "chores"));
  const options = { redisUrl: redis.url, settings: store.settings, isChecked: isPainted };
  await checkAll(lab, ctx, load, options);
  await checkPictures(lab, ctx, artists);
}

function countRefused(artists: Painter[]): number {
  return artists.reduce((sum, { refused }) => sum + refused, 0);
}

async function checkPictures(lab: Lab, ctx: Ctx, artists: Painter[]): Promise<void> {
  const { report } = lab;
  for (const artist of artists) {
    report.acknowledged += artist.acknowledged.size;
    await artist.check();
  }
  // A worker that waits for the storage comes back after half a minute.
  const gone = artists.flatMap(({ removedFiles }) => removedFiles);
  const end = performance.now() + recoveryMilliseconds;
  for (const file of gone)
    while ((await ctx.storage?.find(file)) !== undefined) {
      if (performance.now() > end) {
        report.problem("the file of a deleted tweet is still there", file);
        break;
      }
      await sleep(500, undefined, { signal: lab.ended });
    }
  report.notes.push(`${gone.length} files of deleted tweets are gone`);
}
