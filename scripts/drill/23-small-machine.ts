import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import sharp from "sharp";
import type { Ctx } from "../../src/context.ts";
import { keys } from "../../src/redis/keys.ts";
import { follow } from "../../src/domain/actions/follow.ts";
import { postTweet } from "../../src/domain/actions/post-tweet.ts";
import type { TweetId } from "../../src/domain/ids.ts";
import type { Browser, Fields } from "./lab/browser.ts";
import type { Drill } from "./lab/drill.ts";
import { inside, makePeople, openQueue, password, type Person } from "./lab/inside.ts";
import { inLanes } from "./lab/lanes.ts";
import type { Lab } from "./lab/lab.ts";
import { Load } from "./lab/load.ts";
import { isPainted, Painter, withoutTomorrow } from "./lab/painter.ts";
import { SmallMemory } from "./lab/small-memory.ts";
import { checkAll } from "./lab/verdict.ts";

const megabytes = 512;
/** People who do what they like, who make a tweet go viral, and who post pictures; with a flood of uploads beside them. */
const [users, fans, painters, flooders] = [50, 45, 5, 8];
const uploadsOfEach = 4;
/** Width and height of the largest pictures that are allowed. */
const side = 5650;
/** Milliseconds between two of its parts. */
const quiet = 5000;
/** How often a form is sent until it is accepted, a second apart. */
const triesAtMost = 15;
/** What Node.js chooses by itself on a machine of this size. */
const heap = "--max-old-space-size=256";

export const smallMachine: Drill = {
  number: 23,
  name: "small-machine",
  fault: `${megabytes} MB for the whole site, Redis included: ${users + fans + painters} people, a tweet that goes viral, ${flooders * uploadsOfEach} of the largest pictures at once`,
  passes: "nothing lost, nothing killed but the decoder of pictures",
  seconds: 300,
  run,
};

async function run(lab: Lab): Promise<void> {
  const { report } = lab;
  report.answers.limit = 10_000;
  // Who floods is refused in the end.
  report.answers.tolerated.add(429).add("silent");
  const folder = join(lab.folder, "data");
  mkdirSync(folder);
  const settings = { DATA_DIR: folder };
  const memory = new SmallMemory(megabytes);
  const site = await lab.whole(folder, { env: settings, nodeArgs: [heap] });
  await memory.watch(site.process.child.pid ?? 0);
  const redisUrl = join(folder, "redis.sock");
  const ctx = await inside(lab, [redisUrl], settings);
  const load = await Load.prepare(lab, site, ctx, { users, pause: 1500, signUpEvery: 10_000 });
  const admirers = await logInAll(load, await makePeople(ctx, "fan", fans, 3), 1000);
  const artists = (await makePeople(ctx, "painter", painters)).map(
    (person, nth) => new Painter(lab, site, person, 500 + nth, { isPatient: true }),
  );
  for (const artist of artists) await artist.begin();
  const flood = await logInAll(load, await makePeople(ctx, "flooder", flooders), 2000);
  report.load += `, ${painters} tweets with pictures a second`;
  load.start();
  const painting = artists.map((artist) => artist.paint(1000));

  await load.during(quiet);
  lab.say("a tweet goes viral");
  const viral = await goViral(lab, ctx, admirers);
  await load.during(quiet);
  const before = memory.most;
  lab.say("a flood of uploads");
  const pictures = await largestPictures();
  await Promise.all(
    flood.map(async ([, browser], nth) => {
      for (let time = 0; time < uploadsOfEach; time += 1)
        await browser.postFiles(
          "/tweets",
          { text: `flood ${randomUUID()}` },
          { pictures: pictures[(nth + time) % pictures.length] as Buffer },
        );
    }),
  );
  await load.during(quiet);
  for (const artist of artists) artist.stop();
  await Promise.all(painting);
  await load.stop();
  await Promise.all(artists.map((artist) => artist.finish(40_000)));
  await memory.end();

  report.notes.push(
    `at most ${before} MB before the flood, ${memory.most} MB when a look found it; the decoder was killed ${memory.decodersKilled} times`,
  );
  for (const other of memory.othersKilled) report.problem("the memory was too small", other);
  await checkViral(lab, ctx, viral, admirers);
  await withoutTomorrow(openQueue(lab, ctx, "chores"));
  await checkAll(lab, ctx, load, { redisUrl, settings, isChecked });
  for (const artist of artists) {
    report.acknowledged += artist.acknowledged.size;
    await artist.check();
  }
}

/** The drill looks after these itself. */
const isChecked = (text: string): boolean => isPainted(text) || /^(viral|flood) /.test(text);

type Visitor = [person: Person, browser: Browser];

async function logInAll(load: Load, people: Person[], address: number): Promise<Visitor[]> {
  return await inLanes(people, 4, async (person, nth): Promise<Visitor> => {
    const browser = load.browser(address + nth);
    await browser.logIn(person.name, password);
    return [person, browser];
  });
}

/** All follow its author, read it, like it, retweet it and answer it, at the same time. */
async function goViral(lab: Lab, ctx: Ctx, admirers: Visitor[]): Promise<TweetId> {
  const [star] = (await makePeople(ctx, "star", 1)) as [Person];
  for (const [{ id }] of admirers) await follow(ctx, { follower: id, followee: star.id });
  const tweet = await postTweet(ctx, star.id, { text: "viral star sings" });
  await Promise.all(
    admirers.map(async ([{ name }, browser]) => {
      await browser.get("/");
      await browser.get(`/tweets/${tweet}`);
      await insist(lab, browser, `/tweets/${tweet}/like`);
      await insist(lab, browser, `/tweets/${tweet}/retweet`);
      const reply = { text: `viral ${name} answers`, reply_to: tweet, nonce: randomUUID() };
      await insist(lab, browser, "/tweets", reply);
      await browser.get(`/tweets/${tweet}`);
    }),
  );
  return tweet;
}

/** Sends a form until it is accepted: a slow machine may ask for patience. */
async function insist(
  { report, ended }: Lab,
  browser: Browser,
  path: string,
  fields: Fields = {},
): Promise<void> {
  for (let time = 1; time <= triesAtMost; time += 1) {
    if ((await browser.post(path, fields)).status === 303) {
      report.acknowledged += 1;
      return;
    }
    await sleep(1000, undefined, { signal: ended });
  }
  report.problem("a form was refused for too long", path);
}

/** Each of them, counted once, and the tweet at home. */
async function checkViral(
  { report }: Lab,
  { redis }: Ctx,
  tweet: TweetId,
  admirers: Visitor[],
): Promise<void> {
  const replies = await redis.zcard(keys.tweetReplies(tweet));
  report.expect(replies === fans, "replies are lost or there twice", `${replies} of ${fans}`);
  for (const [{ id, name }, browser] of admirers) {
    const liked = await redis.zscore(keys.tweetLikes(tweet), id);
    report.expect(liked !== null, "a like is lost", name);
    const retweeted = await redis.zscore(keys.tweetRetweets(tweet), id);
    report.expect(retweeted !== null, "a retweet is lost", name);
    const { body } = await browser.get("/");
    report.expect(body.includes("viral star sings"), "the tweet is not at home", name);
  }
}

/** Each within the limits of bytes and pixels: what takes most memory to decode, and what is usual. */
async function largestPictures(): Promise<Buffer[]> {
  const large = sharp({
    create: { width: side, height: side, channels: 3, background: "#c0392b" },
    limitInputPixels: false,
  });
  return await Promise.all([
    large.clone().avif({ effort: 0 }).toBuffer(),
    large.clone().jpeg({ progressive: true }).toBuffer(),
    large.clone().png().toBuffer(),
    large.clone().webp({ effort: 0 }).toBuffer(),
  ]);
}
