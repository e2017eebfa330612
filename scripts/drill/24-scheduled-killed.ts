import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { SMTPServer } from "smtp-server";
import type { Ctx } from "../../src/context.ts";
import { chooseDigest, promiseDigests } from "../../src/domain/accounts/digest.ts";
import { digestOfAddress, reconcileAddress } from "../../src/domain/accounts/mail.ts";
import { chooseSelfDeletion } from "../../src/domain/accounts/self-deletion.ts";
import { bookmarkTweet } from "../../src/domain/actions/bookmark.ts";
import { postTweet } from "../../src/domain/actions/post-tweet.ts";
import { saveDraft } from "../../src/domain/actions/save-draft.ts";
import { promiseDueDrafts } from "../../src/domain/actions/send-draft.ts";
import { keys } from "../../src/redis/keys.ts";
import { checkDoctor } from "./lab/doctor.ts";
import type { Drill } from "./lab/drill.ts";
import { deadLetters, inside, makePeople, type Person, untilIdle } from "./lab/inside.ts";
import { inLanes } from "./lab/lanes.ts";
import type { Lab } from "./lab/lab.ts";
import { sparePort } from "./lab/ports.ts";
import { storedTweets } from "./lab/stored.ts";

const authors = 40;
/** Scheduled tweets of each author. */
const drafts = 8;
/** Tweets of each author that are old enough to go, and as many that are kept. */
const oldTweets = 10;
/** Of the scheduled tweets, when a worker is killed. */
const shares = [0.05, 0.3, 0.55, 0.8];
const allowed = 60_000;
/** Milliseconds until all that is due later is due: a job is promised for 10 s later. */
const untilDue = 12_000;
const day = 24 * 60 * 60 * 1000;
const atOnce = 8;

export const scheduledKilled: Drill = {
  number: 24,
  name: "scheduled-killed",
  fault: `kill -9 worker while ${authors * drafts} scheduled tweets, weekly mails and old tweets come due, ${shares.length} times`,
  passes:
    "each tweet is sent exactly once, ≤ 60 s after the last kill; no mail comes twice; old tweets go, those that are kept stay",
  seconds: 240,
  run,
};

async function run(lab: Lab): Promise<void> {
  const { report } = lab;
  const redis = await lab.redis();
  const mails = await takeMails(lab);
  const env = { SMTP_URL: mails.url, MAIL_FROM: "site@drill.example" };
  const ctx = await inside(lab, [redis.url], env);
  const people = await makePeople(ctx, "author", authors, 1);
  await inLanes(people, atOnce, (person) => writeOld(ctx, person));
  await untilDelivered(lab, ctx, redis.url);
  await inLanes(people, atOnce, (person) => promiseLater(ctx, person));
  const texts = people.flatMap(draftsOf);
  report.acknowledged = texts.length;
  report.load = `${authors} users, each with ${drafts} scheduled tweets, ${2 * oldTweets} old ones and a weekly mail`;
  await sleep(untilDue, undefined, { signal: lab.ended });
  await Promise.all([promiseDueDrafts(ctx), promiseDigests(ctx)]);

  let killedAt = 0;
  for (const share of shares) {
    const worker = lab.worker(redis.url, { env });
    while ((await waitingOf(ctx, people)) > (1 - share) * texts.length)
      await sleep(10, undefined, { signal: lab.ended });
    await worker.process.kill();
    killedAt = performance.now();
    const waiting = await waitingOf(ctx, people);
    lab.say(`killed with ${waiting} tweets to send, after ${mails.arrived.length} mails`);
    report.expect(waiting > 0, "all tweets were sent before the kill");
  }
  lab.worker(redis.url, { env });
  while ((await waitingOf(ctx, people)) > 0) await sleep(100, undefined, { signal: lab.ended });
  report.recovered(performance.now() - killedAt, allowed);
  await untilIdle(ctx, 90_000);
  await checkTweets(lab, ctx, people);
  const twice = mails.arrived.length - new Set(mails.arrived).size;
  report.expect(twice === 0, "a weekly mail came twice", `${twice} did`);
  report.expect(mails.arrived.length > authors / 2, "hardly any weekly mail came");
  report.notes.push(`${mails.arrived.length} weekly mails, each once`);
  report.expect((await deadLetters(ctx)) === 0, "a job became a dead letter");
  await checkDoctor(lab, redis.url);
}

const numbered = (what: string, count: number) => (person: Person) =>
  Array.from({ length: count }, (_, nth) => `${what} ${person.name} ${nth}`);
const draftsOf = numbered("scheduled", drafts);
const goingOf = numbered("old", oldTweets);
const keptOf = numbered("kept", oldTweets);

/** Old tweets, of which some are bookmarked, and a new one that the weekly mail of a follower has. */
async function writeOld(ctx: Ctx, person: Person): Promise<void> {
  const then = { ...ctx, now: () => Date.now() - 40 * day };
  for (const text of goingOf(person)) await postTweet(then, person.id, { text });
  for (const text of keptOf(person))
    await bookmarkTweet(ctx, person.id, await postTweet(then, person.id, { text }));
  await postTweet(ctx, person.id, { text: `news of ${person.name}` });
}

async function untilDelivered(lab: Lab, ctx: Ctx, redisUrl: string): Promise<void> {
  const worker = lab.worker(redisUrl);
  await untilIdle(ctx);
  await worker.process.kill();
}

/** All that comes due while workers are killed. */
async function promiseLater(ctx: Ctx, person: Person): Promise<void> {
  const { id, name } = person;
  for (const text of draftsOf(person)) await saveDraft(ctx, id, { text, at: Date.now() + 5000 });
  const mail = `${name}@drill.example`;
  await ctx.redis.hset(keys.user(id), { mail, mail_language: "en" });
  await reconcileAddress(ctx, { user: id, digest: digestOfAddress(mail) });
  await chooseDigest({ ...ctx, now: () => Date.now() - 7 * day }, id, true);
  await chooseSelfDeletion(ctx, id, { days: 30, keeps: ["bookmarked"] });
}

/** How many scheduled tweets are not sent, or being sent. */
async function waitingOf({ redis }: Ctx, people: readonly Person[]): Promise<number> {
  const counts = await Promise.all(people.map(({ id }) => redis.hlen(keys.savedDrafts(id))));
  return counts.reduce((sum, count) => sum + count, 0);
}

async function checkTweets({ report }: Lab, ctx: Ctx, people: readonly Person[]): Promise<void> {
  const counts = new Map<string, number>();
  for (const { text } of await storedTweets(ctx)) counts.set(text, (counts.get(text) ?? 0) + 1);
  const countOf = (text: string) => counts.get(text) ?? 0;
  for (const text of people.flatMap(draftsOf)) {
    if (countOf(text) === 0) report.lost += 1;
    report.duplicated += Math.max(0, countOf(text) - 1);
    report.expect(countOf(text) === 1, "a scheduled tweet is not there once", text);
  }
  for (const text of people.flatMap(keptOf))
    report.expect(countOf(text) === 1, "a tweet that is kept is gone", text);
  for (const text of people.flatMap(goingOf))
    report.expect(countOf(text) === 0, "an old tweet is still there", text);
}

/** A mail server that remembers whom it took a mail for. */
async function takeMails(lab: Lab): Promise<{ url: string; arrived: string[] }> {
  const arrived: string[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    disableReverseLookup: true,
    onData(stream, { envelope }, answer) {
      stream.resume().on("end", () => {
        arrived.push(...envelope.rcptTo.map(({ address }) => address));
        answer();
      });
    },
  });
  // Clients are killed in the middle.
  server.on("error", () => {});
  const port = await sparePort();
  await once(server.listen(port, "127.0.0.1"), "listening");
  lab.onClose(() => server.close(() => {}));
  return { url: `smtp://127.0.0.1:${port}`, arrived };
}
