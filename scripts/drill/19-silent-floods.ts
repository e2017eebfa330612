import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Ctx } from "../../src/context.ts";
import { keys } from "../../src/redis/keys.ts";
import { noisyFilm, picture } from "../../test/support/data/pictures.ts";
import type { Answer } from "./lab/answers.ts";
import type { Browser } from "./lab/browser.ts";
import type { Drill } from "./lab/drill.ts";
import { floodWith, type Silent } from "./lab/flood.ts";
import { inside, makePeople, password } from "./lab/inside.ts";
import type { Lab } from "./lab/lab.ts";
import { Load } from "./lab/load.ts";
import type { SiteProcess } from "./lab/site.ts";

const logIns = 1200;
const costly = 30;
/** Milliseconds of each measurement. */
const measured = 10_000;
const readers = 8;
/** Milliseconds between two acts of one of them. */
const pause = 300;

export const silentFloods: Drill = {
  number: 19,
  name: "silent-floods",
  fault:
    `at default limits: ${logIns} silent log-ins from four addresses; 8 silent tweets with pictures of four accounts; ` +
    `21 silent uploads of seven accounts and 4 silent imports of two; ${costly} costly pictures of two new accounts`,
  passes:
    "no read, post or upload of others is refused; p95 < 2 × baseline, but an upload may wait for one costly picture",
  seconds: 240,
  run,
};

interface Scene {
  name: string;
  /** What others may have to wait for: a picture that is being drawn is drawn to its end. */
  delays?: Kind;
  /** Returns what ends it. */
  begin: () => Promise<() => void> | (() => void);
}

async function run(lab: Lab): Promise<void> {
  const { report } = lab;
  report.answers.limit = 10_000;
  // What others get is judged for each scene; clients that flood may wait.
  report.answers.tolerated.add(429).add("silent");
  const redis = await lab.redis();
  const ctx = await inside(lab, [redis.url]);
  const env = { LIMIT_FIRST_DAY: "", LIMIT_NOTICES: "" };
  lab.worker(redis.url, { env });
  const web = await lab.web(redis.url, { env });
  const load = await Load.prepare(lab, web, ctx, { users: readers });
  await makeOlder(
    ctx,
    load.people.map(({ id }) => keys.user(id)),
  );
  report.load = `${readers} users who read, post and upload, at addresses of their own`;
  const attackers = await logInAttackers(ctx, load);
  const others = load.users.slice(0, readers).map(({ browser }) => browser);
  await measure(others);
  const quiet = await measure(others);
  const floods: [Scene, Answers][] = [];
  for (const scene of scenesOf(lab, web, attackers)) {
    const end = await scene.begin();
    await sleep(1000);
    floods.push([scene, await measure(others)]);
    end();
  }
  const afterwards = await measure(others);
  for (const [scene, during] of floods) judge(lab, scene, [quiet, afterwards], during);
  await load.stop();
}

/** Their first day is over. */
async function makeOlder(ctx: Ctx, users: ReturnType<typeof keys.user>[]): Promise<void> {
  const days = 3 * 24 * 60 * 60 * 1e6;
  for (const user of users) await ctx.redis.hincrby(user, "created_at", -days);
}

/** New accounts; each has an address of its own. */
async function logInAttackers(ctx: Ctx, load: Load): Promise<Browser[]> {
  const people = await makePeople(ctx, "mallory", 9);
  return await Promise.all(
    people.map(async ({ name }, nth) => {
      const browser = load.browser(9000 + nth);
      await browser.logIn(name, password);
      return browser;
    }),
  );
}

function scenesOf(lab: Lab, web: SiteProcess, attackers: Browser[]): Scene[] {
  const multipart = { type: "multipart/form-data; boundary=x", body: partOf("text") };
  const upload = (path: string, browser: Browser, length: number): Silent => {
    const { headers } = browser;
    return { from: 10 + attackers.indexOf(browser), path, length, headers, ...multipart };
  };
  return [
    {
      name: "silent log-ins",
      begin: () =>
        floodWith(
          lab,
          web,
          Array.from({ length: logIns }, (_, nth) => ({
            from: 2 + (nth % 4),
            path: "/login",
            type: "application/x-www-form-urlencoded",
            length: 102_400,
            body: "name=",
          })),
        ),
    },
    {
      name: "silent tweets with pictures",
      begin: () =>
        floodWith(
          lab,
          web,
          twice(attackers.slice(0, 4)).map((browser) => upload("/tweets", browser, 20_000_000)),
        ),
    },
    {
      name: "silent uploads and imports",
      begin: () =>
        floodWith(lab, web, [
          ...thrice(attackers.slice(0, 7)).map((one) => upload("/settings/avatar", one, 1_000_000)),
          ...twice(attackers.slice(7)).map((one) => upload("/settings/data", one, 10_000_000)),
        ]),
    },
    {
      name: "costly pictures",
      delays: "upload",
      begin: async () => {
        const bytes = await noisyFilm(480);
        for (let nth = 0; nth < costly; nth += 1)
          void tweet(attackers[nth % 2] as Browser, "look", bytes);
        return () => {};
      },
    },
  ];
}

const thrice = (some: Browser[]) => [...some, ...some, ...some];
const twice = (some: Browser[]) => [...some, ...some];

function partOf(name: string): string {
  return `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\nsome`;
}

type Kind = "read" | "post" | "upload";
type Answers = Record<Kind, Answer[]>;

/** Each of them reads, posts and uploads in turn. */
async function measure(browsers: Browser[]): Promise<Answers> {
  const answers: Answers = { read: [], post: [], upload: [] };
  const png = await picture("png", { width: 300, height: 200 });
  const deadline = performance.now() + measured;
  const act = async (browser: Browser, turn: number) => {
    if (turn % 9 === 4) answers.upload.push(await tweet(browser, "with a picture", png));
    else if (turn % 3 === 1)
      answers.post.push(await browser.post("/tweets", { text: randomUUID(), nonce: randomUUID() }));
    else answers.read.push(await browser.get("/"));
  };
  await Promise.all(
    browsers.map(async (browser, nth) => {
      for (let turn = nth; performance.now() < deadline; turn += 1) {
        await act(browser, turn);
        await sleep(pause);
      }
    }),
  );
  return answers;
}

async function tweet(browser: Browser, text: string, bytes: Buffer): Promise<Answer> {
  return await browser.postFiles(
    "/tweets",
    { text: `${text} ${randomUUID()}` },
    {
      pictures: bytes,
    },
  );
}

function judge({ report }: Lab, { name, delays }: Scene, quiet: Answers[], during: Answers): void {
  for (const kind of ["read", "post", "upload"] as const) {
    const good = kind === "read" ? 200 : 303;
    const refused = during[kind].filter(({ status }) => status !== good);
    const before = Math.max(...quiet.map((answers) => p95(answers[kind])));
    const now = p95(during[kind]);
    report.notes.push(
      `${name}: ${during[kind].length} of ${kind}, ${refused.length} refused, ` +
        `p95 ${Math.round(now)} ms, ${Math.round(before)} ms without`,
    );
    const statuses = [...new Set(refused.map(({ status }) => status))].join(", ");
    report.expect(refused.length === 0, `${name} refuse a ${kind} of others`, statuses);
    report.expect(now < 2 * before || kind === delays, `others wait for ${name}`, kind);
  }
}

function p95(answers: Answer[]): number {
  const took = answers.map(({ milliseconds }) => milliseconds).toSorted((one, two) => one - two);
  return took[Math.floor(took.length * 0.95)] ?? Infinity;
}
