import { randomUUID } from "node:crypto";
import { addressOf, Browser } from "./lab/browser.ts";
import type { Drill } from "./lab/drill.ts";
import { inside, makePeople, password, untilIdle } from "./lab/inside.ts";
import type { Lab } from "./lab/lab.ts";
import { readToEnd, tweetsOn } from "./lab/pages.ts";
import { storedTweets } from "./lab/stored.ts";
import { checkDoctor } from "./lab/doctor.ts";

const rounds = 6;
const submits = 50;

export const doubleSubmit: Drill = {
  number: 12,
  name: "double-submit",
  fault: `one form sent ${submits} times at once, to two web processes`,
  passes: "1 tweet, same Location",
  seconds: 60,
  quick: true,
  run,
};

async function run(lab: Lab): Promise<void> {
  const { report } = lab;
  const redis = await lab.redis();
  const ctx = await inside(lab, [redis.url]);
  lab.worker(redis.url);
  const webs = await Promise.all([lab.web(redis.url), lab.web(redis.url)]);
  const people = await makePeople(ctx, "u", rounds, 1);
  report.load = `${rounds} users send a tweet, then a reply to it, each form ${submits} times`;
  for (const [nth, { name }] of people.entries()) {
    const [here, there] = webs.map((web) => new Browser(web, report.answers, addressOf(nth)));
    if (here === undefined || there === undefined) continue;
    await here.logIn(name, password);
    there.adopt(here);
    const tweet = { text: `drill ${name} tweet`, nonce: randomUUID() };
    await submit(lab, [here, there], tweet);
    const [own] = await readToEnd(here, `/@${name}`, tweetsOn);
    report.expect(own !== undefined, "the tweet is not there", name);
    const reply = { text: `drill ${name} reply`, reply_to: own?.tweet ?? "", nonce: randomUUID() };
    const locations = await submit(lab, [here, there], reply);
    report.expect(locations.size === 1, "several Locations", [...locations].join(", "));
    const texts = (await readToEnd(here, `/@${name}/replies`, tweetsOn)).map(({ text }) => text);
    for (const { text } of [tweet, reply]) count(lab, texts, text, "listed");
    for (const browser of [here, there]) browser.close();
  }
  await untilIdle(ctx);
  const stored = (await storedTweets(ctx)).map(({ text }) => text);
  for (const text of new Set(stored)) count(lab, stored, text, "stored");
  await checkDoctor(lab, redis.url);
}

/** Where the answers led. */
async function submit(
  { report }: Lab,
  browsers: Browser[],
  fields: Record<string, string>,
): Promise<Set<string>> {
  const answers = await Promise.all(
    Array.from({ length: submits }, async (_, nth) => {
      return await browsers[nth % browsers.length]?.post("/tweets", fields);
    }),
  );
  const accepted = answers.filter((answer) => answer?.status === 303);
  report.acknowledged += accepted.length;
  report.expect(accepted.length === submits, "a submit was refused");
  return new Set(accepted.map((answer) => answer?.location ?? ""));
}

function count({ report }: Lab, texts: string[], text: string, where: string): void {
  const times = texts.filter((one) => one === text).length;
  report.duplicated += Math.max(0, times - 1);
  report.lost += times === 0 ? 1 : 0;
  report.expect(times === 1, `a tweet is ${where} ${times} times`, text);
}
