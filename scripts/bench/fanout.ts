import { setTimeout as sleep } from "node:timers/promises";
import { Queue } from "bullmq";
import { keys } from "../../src/redis/keys.ts";
import { packed } from "../../src/redis/packed.ts";
import { queuePrefix } from "../../src/jobs/queue.ts";
import { tweetId, type UserId, stampAt } from "../../src/domain/ids.ts";
import { fanOut } from "../../src/domain/timelines/fan-out.ts";
import { follow } from "../../src/domain/actions/follow.ts";
import { keptWhenCut } from "../../src/domain/timelines/home-store.ts";
import { countReached, type Followed, makeFollowed } from "./followed.ts";
import { type Lab, makePeople } from "./lab.ts";
import { median } from "./load.ts";
import { logIn, postTweet, type Running, startWeb, startWorker, untilIdle } from "./site.ts";

const rounds = 5;

/** From POST /tweets to the last delivery, against nothing but the delivery script. */
export async function fanout(lab: Lab) {
  const followed = await makeFollowed(lab);
  const web = await startWeb(lab);
  const worker = await startWorker(lab);
  try {
    const cookie = await logIn(web, "author_0");
    const ours: number[] = [];
    const limit: number[] = [];
    // The first round warms up; then the two take turns, so that noise hits both.
    for (let round = 0; round <= lab.times(rounds); round += 1) {
      const seconds = await timeOurs(lab, web, cookie, followed);
      const bare = await timeBare(lab, followed);
      lab.say(`fanout: ours ${seconds.toFixed(2)} s, bare script ${bare.toFixed(2)} s`);
      if (round > 0) {
        ours.push(seconds);
        limit.push(bare);
      }
    }
    const small = await timeSmall(lab, web, cookie, followed);
    const workerMsPer10000 = await timeProcessor(lab, followed);
    lab.say(`fanout: ${workerMsPer10000.toFixed(1)} ms of a worker for 10,000 deliveries`);
    const count = followed.followers.length;
    return {
      ours: count / median(ours),
      limit: count / median(limit),
      ratio: median(limit) / median(ours),
      target: 0.85,
      unit: "deliveries/s",
      seconds: median(ours),
      deliveries: count,
      smallTweetMilliseconds: small,
      workerMsPer10000,
    };
  } finally {
    await Promise.all([web.stop(), worker.stop()]);
  }
}

/**
 * Milliseconds until a tweet by a user with one follower has arrived: on its own, and posted just
 * after three to all users, which must not hold it up.
 */
async function timeSmall(lab: Lab, web: Running, star: string, { followers }: Followed) {
  const [author] = await makePeople(lab, "small", 1);
  const [follower] = followers;
  if (author === undefined || follower === undefined) throw new Error("nobody to deliver to");
  await follow(lab.ctx, { follower, followee: author });
  const cookie = await logIn(web, "small_0");
  const alone: number[] = [];
  const behind: number[] = [];
  for (let round = 0; round < lab.times(rounds); round += 1) {
    await untilIdle(lab);
    alone.push(await timeArrival(lab, web, cookie, follower));
    for (let nth = 0; nth < 3; nth += 1)
      await postTweet(web, star, `Bench tweet ${nth} to everybody.`);
    behind.push(await timeArrival(lab, web, cookie, follower));
  }
  await untilIdle(lab);
  return { alone: median(alone), behindHuge: median(behind) };
}

async function timeArrival(lab: Lab, web: Running, cookie: string, follower: UserId) {
  const home = keys.homeTimeline(follower);
  const began = performance.now();
  await postTweet(web, cookie, "Bench tweet to one follower.");
  const tweet = String(await lab.ctx.redis.get(keys.tweetIds));
  while ((await lab.ctx.redis.zscore(home, tweet)) === null) await sleep(1);
  return performance.now() - began;
}

/** Seconds from the POST until the job is done; throws if a follower lacks the tweet. */
async function timeOurs(lab: Lab, web: Running, cookie: string, { followers }: Followed) {
  const began = performance.now();
  await postTweet(web, cookie, "Bench tweet to everybody.");
  const tweet = await lab.ctx.redis.get(keys.tweetIds);
  for (const name of ["deliver", "spread"]) {
    const queue = new Queue(name, { connection: lab.ctx.redis, prefix: queuePrefix });
    const job = `tweet-${tweet}`;
    while (!["completed", "unknown"].includes(await queue.getJobState(job))) await sleep(5);
    await queue.close();
  }
  const seconds = (performance.now() - began) / 1000;
  const reached = await countReached(lab, followers, String(tweet));
  if (reached !== followers.length) throw new Error(`only ${reached} were reached`);
  return seconds;
}

/**
 * Milliseconds of processor time that a worker spends on 10,000 deliveries. This process does what a worker
 * would, but for taking the job.
 */
async function timeProcessor({ ctx }: Lab, { author, followers }: Followed): Promise<number> {
  const took: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const tweet = tweetId(await ctx.redis.incr(keys.tweetIds));
    const placed = { tweet, author, stamp: stampAt(Date.now(), tweet) };
    const before = process.cpuUsage();
    await fanOut(ctx, placed, { done: 0, save: async () => {} });
    const { user, system } = process.cpuUsage(before);
    if (round > 0) took.push((user + system) / 1000 / (followers.length / 10_000));
  }
  return median(took);
}

/** Seconds that the script alone takes for the same timelines, two calls in flight. */
async function timeBare(lab: Lab, { followers }: Followed): Promise<number> {
  const { redis, config } = lab.ctx;
  const tweet = String(await redis.incr(keys.tweetIds));
  const stamp = stampAt(Date.now(), tweet);
  const homes = followers.map((id) => keys.homeTimeline(id));
  const began = performance.now();
  let previous: Promise<unknown> = Promise.resolve();
  const cap = config.timelineCap;
  for (let first = 0; first < homes.length; first += 1000) {
    const page = packed(homes.slice(first, first + 1000));
    const call = redis.deliver("", tweet, stamp, cap, keptWhenCut(cap), page);
    await previous;
    previous = call;
  }
  await previous;
  return (performance.now() - began) / 1000;
}
