import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Browser } from "./lab/browser.ts";
import { checkDoctor } from "./lab/doctor.ts";
import type { Drill } from "./lab/drill.ts";
import { inside, makePeople, password, type Person, untilIdle } from "./lab/inside.ts";
import type { Lab } from "./lab/lab.ts";
import { Load } from "./lab/load.ts";
import type { SiteProcess } from "./lab/site.ts";
import { storedTweets } from "./lab/stored.ts";

const victims = 24;
/** Slow forms of each victim: as many as the site reads at a time. */
const forms = 3;
/** Milliseconds from one form's last byte to the next one's: before, while and after the right ends. */
const apart = 150;
/** Milliseconds until a deleted account is erased, and some more. */
const erasure = 20_000;

export const slowBodies: Drill = {
  number: 20,
  name: "slow-bodies",
  fault: `${victims * forms} tweets whose forms arrive while the password changes or the account is deleted`,
  passes: "no form that is complete afterwards is posted; a deleted account leaves nothing",
  seconds: 110,
  run,
};

async function run(lab: Lab): Promise<void> {
  const { report } = lab;
  // Each new password costs a real hash; how long that takes is drilled elsewhere.
  report.answers.limit = 10_000;
  const redis = await lab.redis();
  const ctx = await inside(lab, [redis.url]);
  lab.worker(redis.url);
  const web = await lab.web(redis.url);
  const load = await Load.prepare(lab, web, ctx, { users: 8 });
  load.start();
  const people = await makePeople(ctx, "victim", victims);
  const late = new Set<string>();
  const leavers = people.filter((_, nth) => nth % 2 === 1);
  for (const [nth, person] of people.entries()) {
    const ending = leavers.includes(person) ? leave : changePassword;
    await attack(lab, web, { person, browser: load.browser(500 + nth), ending, late });
  }
  await load.during(erasure);
  await load.stop();
  await untilIdle(ctx);
  const posted = (await storedTweets(ctx)).map(({ text }) => text);
  for (const text of posted) {
    report.expect(!late.has(text), "a form was complete too late, and posted", text);
    const ofLeaver = leavers.some(({ name }) => text.startsWith(`slow ${name} `));
    report.expect(!ofLeaver, "a deleted account left a tweet", text);
  }
  const inTime = posted.filter((text) => text.startsWith("slow ")).length;
  report.expect(late.size >= victims / 2, "hardly any form was complete too late");
  report.notes.push(`${late.size} forms complete too late, ${inTime} in time and still there`);
  await checkDoctor(lab, redis.url);
}

interface Attack {
  person: Person;
  browser: Browser;
  /** Ends the right of the session; resolves to whether it did. */
  ending(browser: Browser, person: Person): Promise<boolean>;
  /** Gets the texts of forms that were complete only after the right had ended. */
  late: Set<string>;
}

async function attack(lab: Lab, web: SiteProcess, { person, ...rest }: Attack): Promise<void> {
  const { browser, ending, late } = rest;
  await browser.logIn(person.name, password);
  const texts = Array.from({ length: forms }, (_, nth) => `slow ${person.name} ${nth}`);
  const finish = texts.map((text) => beginForm(lab, web, browser, text));
  // The head must have been read, and the session with it.
  await sleep(apart);
  finish.shift()?.();
  const ended = ending(browser, person);
  await sleep(apart);
  finish.shift()?.();
  lab.report.expect(await ended, "a right did not end", person.name);
  for (const text of texts.slice(forms - finish.length)) late.add(text);
  await sleep(apart);
  for (const end of finish) end();
  browser.close();
}

async function changePassword(browser: Browser): Promise<boolean> {
  const fields = { current_password: password, new_password: `${password} anew` };
  const { status, location } = await browser.post("/settings/account", fields);
  return status === 303 && location.endsWith("saved");
}

async function leave(browser: Browser, { name }: Person): Promise<boolean> {
  browser.viewer = undefined;
  const { status } = await browser.post("/settings/account/delete", { name, password });
  return status === 303;
}

/** Sends all but the last bytes of a form; the result sends these. */
function beginForm(lab: Lab, { url }: SiteProcess, browser: Browser, text: string): () => void {
  const padding = "a".repeat(60_000);
  const body = part("text", text) + part("one", padding) + part("two", padding);
  const end = "--b--\r\n";
  const headers = Object.entries({
    Host: "drill.example",
    ...browser.headers,
    "Content-Type": "multipart/form-data; boundary=b",
    "Content-Length": String(body.length + end.length),
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  socket.on("error", () => {}).resume();
  socket.write(`POST /tweets HTTP/1.1\r\n${headers.join("")}\r\n${body}`);
  lab.onClose(() => socket.destroy());
  return () => socket.write(end);
}

function part(name: string, value: string): string {
  return `--b\r\nContent-Disposition: form-data; name=${name}\r\n\r\n${value}\r\n`;
}
