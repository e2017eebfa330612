import { setTimeout as sleep } from "node:timers/promises";
import { keys } from "../../src/redis/keys.ts";
import { olderProgram } from "./faults/older-program.ts";
import type { Door } from "./lab/browser.ts";
import { type Drill, NotRun } from "./lab/drill.ts";
import { askDoctor } from "./lab/doctor.ts";
import { inside, makePeople, openQueue, untilIdle } from "./lab/inside.ts";
import type { Lab } from "./lab/lab.ts";
import { Load } from "./lab/load.ts";
import { isPainted, Painter, withoutTomorrow } from "./lab/painter.ts";
import type { SiteProcess } from "./lab/site.ts";
import { openStream } from "./lab/stream.ts";
import { checkAll } from "./lab/verdict.ts";

const users = 20;
const painters = 2;
/** Milliseconds of the older version alone, of both, and of the newer one alone. */
const alone = 5000;
const together = 60_000;
const streams = 10;

export const rollingUpgrade: Drill = {
  number: 22,
  name: "rolling-upgrade",
  fault: `an older version and this one beside each other for ${together / 1000} s, web and worker each, then the older one ends`,
  passes: "nothing lost, no dead letter, no reset; each has styles for pages of the other",
  seconds: 240,
  run,
};

async function run(lab: Lab): Promise<void> {
  const { report } = lab;
  const { folder: program, version } = await olderProgram(lab);
  report.notes.push(`the older version: ${version}`);
  const redis = await lab.redis();
  const older = await startBoth(lab, redis.url, program);
  const dataVersion = () => redis.ask((client) => client.hget(keys.siteData, "version"));
  const before = await dataVersion();
  const ctx = await inside(lab, [redis.url]);
  if ((await dataVersion()) !== before)
    throw new NotRun("the older version has older data: all of its processes must end first");
  const door: Door = { url: older.web.url };
  const load = await Load.prepare(lab, door, ctx, { users, pause: 1000 });
  const people = await makePeople(ctx, "painter", painters);
  const artists = people.map(
    (person, nth) => new Painter(lab, door, person, 500 + nth, { isPatient: true }),
  );
  for (const artist of artists) await artist.begin();
  report.load += `, ${streams} streams, and ${painters} tweets with pictures a second`;
  report.answers.limit = 10_000;
  load.start();
  const painting = artists.map((artist) => artist.paint(1000));
  await load.during(alone);

  lab.say("both versions");
  const newer = await startBoth(lab, redis.url);
  const ways = alternate(door, [older.web, newer.web]);
  const readers = load.users.slice(0, streams).map(({ browser }) => browser);
  const opened = readers.map(({ headers }) => openStream(older.web.url, headers));
  await checkStyles(lab, older.web, newer.web);
  await load.during(together);
  ways.end();

  lab.say("the newer version");
  door.url = newer.web.url;
  await sleep(300);
  for (const { process } of [older.worker, older.web]) {
    process.signal("SIGTERM");
    const code = await process.ended();
    report.expect(code === 0, "the older version did not end well", String(code));
  }
  for (const stream of await Promise.all(opened))
    report.expect((await stream.ended) === "complete", "a stream was reset");
  await load.during(alone);
  for (const artist of artists) artist.stop();
  await Promise.all(painting);
  await load.stop();
  report.notes.push(`requests to each version: ${ways.counts().join(" and ")}`);
  await Promise.all(artists.map((artist) => artist.finish(20_000)));
  await withoutTomorrow(openQueue(lab, ctx, "chores"));
  const settings = { DATA_DIR: lab.folder };
  await untilIdle(ctx, 60_000);
  // The older version does not count bytes of pictures that it deletes; nothing else may need the doctor.
  const { "bytes-miscounted": miscounted = 0, ...others } = (
    await askDoctor(redis.url, { repair: true, settings })
  ).counts;
  report.expect(
    Object.keys(others).length === 0,
    "the doctor repaired more",
    Object.keys(others).join(", "),
  );
  report.notes.push(`the doctor counted the pictures of ${miscounted} users again`);
  await checkAll(lab, ctx, load, { redisUrl: redis.url, settings, isChecked: isPainted });
  for (const artist of artists) {
    report.acknowledged += artist.acknowledged.size;
    await artist.check();
  }
}

async function startBoth(lab: Lab, redisUrl: string, program?: string) {
  const options = program === undefined ? {} : { program };
  const web = await lab.web(redisUrl, options);
  return { web, worker: lab.worker(redisUrl, options) };
}

/** From now on every other request goes to the same version. */
function alternate(door: Door, sites: SiteProcess[]) {
  const counts = sites.map(() => 0);
  let nth = 0;
  Object.defineProperty(door, "url", {
    configurable: true,
    get: () => {
      nth = (nth + 1) % sites.length;
      counts[nth] = (counts[nth] ?? 0) + 1;
      return sites[nth]?.url;
    },
  });
  return {
    counts: () => counts,
    end: () => Object.defineProperty(door, "url", { value: "", writable: true }),
  };
}

/** A page of one version may ask a process of the other for its styles and scripts. */
async function checkStyles({ report }: Lab, ...sites: SiteProcess[]): Promise<void> {
  const headers = { "X-Forwarded-Proto": "https" };
  for (const [nth, { url }] of sites.entries()) {
    const other = sites[(nth + 1) % sites.length]?.url ?? "";
    const page = await (await fetch(`${url}/login`, { headers })).text();
    const addresses = [...page.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)];
    report.expect(addresses.length > 0, "a page without styles");
    for (const [, address = ""] of addresses) {
      const { status } = await fetch(other + address, { headers });
      report.expect(status === 200, "no styles for a page of the other version", address);
    }
  }
}
