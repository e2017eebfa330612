import { randomUUID } from "node:crypto";
import type { Ctx } from "../../src/context.ts";
import { postTweet } from "../../src/domain/actions/post-tweet.ts";
import { readTallies } from "../../src/domain/tweets/poll.ts";
import { getTweet } from "../../src/domain/tweets/store.ts";
import { addressOf, Browser } from "./lab/browser.ts";
import type { Drill } from "./lab/drill.ts";
import { inside, makePeople, password, type Person, untilIdle } from "./lab/inside.ts";
import type { Lab } from "./lab/lab.ts";
import type { SiteProcess } from "./lab/site.ts";
import { readToEnd, tweetsOn } from "./lab/pages.ts";
import { storedTweets } from "./lab/stored.ts";
import { checkDoctor } from "./lab/doctor.ts";

const rounds = 6;
const submits = 50;

export const doubleSubmit: Drill = {
  number: 12,
  name: "double-submit",
  fault: `one form sent ${submits} times at once, to two web processes; votes while one of them is killed`,
  passes: "1 tweet, same Location; each voter counts once",
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
  await voteAgain(lab, ctx, webs, people);
  await untilIdle(ctx);
  const stored = (await storedTweets(ctx)).map(({ text }) => text);
  for (const text of new Set(stored)) count(lab, stored, text, "stored");
  await checkDoctor(lab, redis.url);
}

/** Each user sends one vote many times to both processes, one of which is killed meanwhile. */
async function voteAgain(
  { report }: Lab,
  ctx: Ctx,
  webs: SiteProcess[],
  people: Person[],
): Promise<void> {
  const [author] = (await makePeople(ctx, "author", 1)) as [Person];
  const poll = { choices: ["yes", "no"], seconds: 86_400 };
  const id = await postTweet(ctx, author.id, { text: "drill author asks", poll });
  report.answers.tolerated.add("reset").add("refused");
  const votes = people.map(async ({ name }, nth) => {
    const browsers = webs.map((web) => new Browser(web, report.answers, addressOf(nth)));
    for (const browser of browsers) await browser.logIn(name, password);
    const sent = Array.from({ length: submits }, async (_, times) => {
      const browser = browsers[times % browsers.length];
      const answer = await browser?.post(`/tweets/${id}/vote`, { choice: String(nth % 2) });
      if (nth === 0 && times === 0) webs[0]?.process.signal("SIGKILL");
      return answer?.status === 303;
    });
    report.expect((await Promise.all(sent)).includes(true), "no vote was accepted", name);
    for (const browser of browsers) browser.close();
  });
  await Promise.all(votes);
  const tallies = await readTallies(ctx, undefined, [await getTweet(ctx, id)]);
  const { voters, counts } = tallies.get(id) ?? { voters: 0, counts: [] };
  const told = `${voters} voters, ${counts.join(" and ")} votes`;
  const half = people.length / 2;
  const isRight = voters === people.length && counts.every((one) => one === half);
  report.expect(isRight, "a voter does not count once", told);
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
