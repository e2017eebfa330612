import { setTimeout as sleep } from "node:timers/promises";
import { Queue } from "bullmq";
import type { Ctx } from "../../src/context.ts";
import { type TweetId, type UserId, userId } from "../../src/domain/ids.ts";
import { postTweet } from "../../src/domain/tweets/post.ts";
import { queuePrefix } from "../../src/jobs/queue.ts";
import { exec } from "../../src/redis/exec.ts";
import { keys } from "../../src/redis/keys.ts";
import type { Drill } from "./lab/drill.ts";
import { deadLetters, inside, makePeople, untilIdle } from "./lab/inside.ts";
import type { Lab } from "./lab/lab.ts";

const followers = 200_000;
const atOnce = 5000;
/** Of the followers, when a worker is killed. */
const shares = [0.1, 0.35, 0.6];
const allowed = 60_000;

/** Small, so that a kill finds the fan-out in the middle; nobody counts as a big account. */
const settings = { BIG_ACCOUNT_FOLLOWERS: "1000000000", FANOUT_PAGE: "100" };

export const workerKilled: Drill = {
  number: 2,
  name: "worker-killed",
  fault: `kill -9 worker in the middle of ${followers.toLocaleString("en")} deliveries, ${shares.length} times`,
  passes: "all delivered exactly once, ≤ 60 s after the last kill",
  seconds: 240,
  run,
};

async function run(lab: Lab): Promise<void> {
  const { report } = lab;
  const redis = await lab.redis();
  const ctx = await inside(lab, [redis.url], settings);
  const spreads = new Queue("spread", { connection: ctx.redis, prefix: queuePrefix });
  lab.onClose(() => spreads.close());
  const [author] = await makePeople(ctx, "star", 1);
  if (author === undefined) return;
  const crowd = await makeCrowd(ctx, author.id);
  lab.say("the crowd is there");
  const tweet = await postTweet(ctx, author.id, { text: "drill star sings" });
  report.acknowledged = crowd.length;
  report.load = `one tweet to ${followers.toLocaleString("en")} followers`;
  let killedAt = 0;
  for (const share of shares) {
    const worker = lab.worker(redis.url, { env: settings });
    while ((await progressOf(spreads, tweet)) < share * followers)
      await sleep(20, undefined, { signal: lab.ended });
    await worker.process.kill();
    killedAt = performance.now();
    const reached = await countReached(ctx, crowd, tweet);
    lab.say(`killed when ${reached} had the tweet`);
    report.expect(reached < crowd.length, "the fan-out was over before the kill");
  }
  lab.worker(redis.url, { env: settings });
  await untilIdle(ctx, 150_000);
  report.recovered(performance.now() - killedAt, allowed);
  report.lost = crowd.length - (await countReached(ctx, crowd, tweet));
  report.duplicated = (await countStored(ctx, crowd)) - crowd.length + report.lost;
  report.expect(report.lost === 0, "some lack the tweet");
  report.expect(report.duplicated === 0, "some have more than the tweet");
  report.expect((await deadLetters(ctx)) === 0, "a job became a dead letter");
}

/**
 * Followers with a home timeline each, and nothing else (the doctor would miss the rest of them):
 * written by pipelines, as verbs would take minutes.
 */
async function makeCrowd(ctx: Ctx, author: UserId): Promise<UserId[]> {
  const first = (await ctx.redis.incrby(keys.userIds, followers)) - followers + 1;
  const crowd = Array.from({ length: followers }, (_, nth) => userId(first + nth));
  await inParts(crowd, async (part, start) => {
    const flat = part.flatMap((id, nth) => [start + nth + 1, id]);
    await ctx.redis.zadd(keys.followers(author), ...flat);
    await exec(
      ctx.redis,
      part.map((id) => ["zadd", keys.homeTimeline(id), 0, "floor"]),
    );
  });
  return crowd;
}

/** Followers came one stamp after the other, so progress counts them. */
async function progressOf(spreads: Queue, tweet: TweetId): Promise<number> {
  return Number((await spreads.getJob(`tweet-${tweet}`))?.progress) || 0;
}

async function countReached(ctx: Ctx, crowd: UserId[], tweet: TweetId): Promise<number> {
  let count = 0;
  await inParts(crowd, async (part) => {
    const stamps = await exec(
      ctx.redis,
      part.map((id) => ["zscore", keys.homeTimeline(id), tweet]),
    );
    count += stamps.filter((stamp) => stamp !== null).length;
  });
  return count;
}

/** How many tweets the homes hold, all together. */
async function countStored(ctx: Ctx, crowd: UserId[]): Promise<number> {
  let count = 0;
  await inParts(crowd, async (part) => {
    const sizes = await exec(
      ctx.redis,
      part.map((id) => ["zcount", keys.homeTimeline(id), 1, "+inf"]),
    );
    count += sizes.reduce((sum: number, size) => sum + Number(size), 0);
  });
  return count;
}

async function inParts<Item>(
  items: Item[],
  work: (part: Item[], start: number) => Promise<void>,
): Promise<void> {
  for (let start = 0; start < items.length; start += atOnce)
    await work(items.slice(start, start + atOnce), start);
}
