import { setTimeout as sleep } from "node:timers/promises";
import { follow } from "../../src/domain/actions/follow.ts";
import { likeTweet } from "../../src/domain/actions/like.ts";
import { postTweet } from "../../src/domain/actions/post-tweet.ts";
import { retweet } from "../../src/domain/actions/retweet.ts";
import { type TweetId, tweetId, type UserId, userId, stampAt } from "../../src/domain/ids.ts";
import { deliverTo } from "../../src/domain/timelines/delivery.ts";
import { ensureHome, fillHome, keptWhenCut } from "../../src/domain/timelines/home-store.ts";
import { keys } from "../../src/redis/keys.ts";
import type { RedisClient } from "../../src/redis/redis-client.ts";
import { compactSettings, primariesOf } from "../../src/redis/servers.ts";
import { bytesOf, bytesOfKinds, kindLines } from "./kinds.ts";
import { each, type Lab, makePeople, openLab } from "./lab.ts";
import { processorTime } from "./processor-time.ts";
import { type Language, sayings } from "./sayings.ts";
import { seal } from "./search.ts";
import { startWorker, untilIdle } from "./site.ts";

const people = 50;
const followsEach = 10;
/** Of a follow, the bytes in lists of this length at both ends. */
const followersEach = 150;
/** So many of each that their lists are as large as those of people who stay. */
const tweetsEach = 200;
/** Skip lists of 500 timelines fit into the cache of a processor, those of a site do not. */
const homesCompared = 5000;

/** Bytes that Redis needs for each kind of key, and for a tweet with all that it leaves. */
export async function memory(lab: Lab) {
  const { bytesFullHome, deliveriesRatio } = await compareHomes(lab);
  const bytesFollow = 2 * (await bytesAnEntry(lab, followersEach, (nth) => String(nth)));
  const bytesNotification = await bytesAnEntry(lab, 1000, (nth) => `like:${nth}:${nth % 999}`);
  const english = await makeSite(lab, "english");
  const japanese = await makeSite(lab, "japanese");
  return {
    ours: english.tweet,
    limit: japanese.tweet,
    ratio: deliveriesRatio,
    target: 0.8,
    unit: "bytes an English and a Japanese tweet; ratio: deliveries",
    bytesEnglishTweet: english.tweet,
    bytesJapaneseTweet: japanese.tweet,
    bytesFullHome,
    bytesFollow,
    bytesUser: english.user,
    bytesNotification,
    deliveriesRatio,
    kinds: { english: english.kinds, japanese: japanese.kinds },
  };
}

/**
 * A site in one language, made by the verbs and a worker. Of ten tweets one is answered, liked and retweeted. It has a
 * Redis of its own: a process that has seen higher ids would go on from these, and segments would begin in their midst.
 */
async function makeSite({ scale, say, onClose }: Lab, language: Language) {
  const lab = await openLab(scale, say);
  onClose(lab.close);
  const worker = await startWorker(lab);
  try {
    const users = await makePeople(lab, "person", people);
    const userNear = (nth: number) => users[nth % people] as UserId;
    await each(lab, "follows", people * followsEach, async (nth) => {
      const distance = 1 + Math.floor(nth / people);
      await follow(lab.ctx, { follower: userNear(nth), followee: userNear(nth + distance) });
    });
    const count = people * Math.max(4, Math.round(tweetsEach * lab.scale));
    const texts = sayings(language, count);
    const written: TweetId[] = [];
    await each(lab, `${language} tweets`, count, async (nth) => {
      const answered = nth % 10 === 0 ? written[nth - 301] : undefined;
      const text = texts[nth] ?? "";
      written[nth] = await postTweet(lab.ctx, userNear(nth), { text, replyTo: answered });
    });
    await each(lab, "likes and retweets", count / 10, async (nth) => {
      const tweet = written[nth * 10] as TweetId;
      await likeTweet(lab.ctx, userNear(nth * 3), tweet);
      await retweet(lab.ctx, userNear(nth * 3 + 1), tweet);
    });
    await untilIdle(lab);
    // Its job would seal at the same time.
    await worker.stop();
    await seal(lab, Number(await lab.ctx.redis.get(keys.tweetIds)));
    await sleep(500);
    const kinds = await bytesOfKinds(lab.ctx.redis);
    lab.say([`Bytes of each kind, ${language}:`, ...kindLines(kinds)].join("\n  "));
    return {
      kinds,
      tweet: bytesOf(kinds, "tweet") / count,
      user: bytesOf(kinds, "person") / people,
    };
  } finally {
    await worker.stop();
    await lab.close();
  }
}

/** Full home timelines as they are, and as skip lists of 700, take deliveries in turns. */
async function compareHomes(lab: Lab) {
  await lab.clear();
  const { ctx } = lab;
  // The default, with which 700 entries are a skip list.
  await setPacked(lab, 128);
  const former = { ...ctx, config: { ...ctx.config, timelineCap: 800 } };
  const homes = Math.max(50, Math.round(homesCompared * lab.scale));
  const compared = [ctx, former].map((sort, nth) => ({
    sort,
    users: Array.from({ length: homes }, (_, at) => userId(1 + at * 2 + nth)),
    took: 0,
  }));
  for (const { sort, users } of compared)
    await each(lab, "home timelines", users.length, (at) =>
      fill(
        sort,
        users[at] as UserId,
        sort === ctx ? keptWhenCut(ctx.config.timelineCap) + (at % 16) : 700,
      ),
    );
  const home = keys.homeTimeline(compared[0]?.users[15] as UserId);
  const bytesFullHome = Number(await ctx.redis.memory("USAGE", home, "SAMPLES", 0));
  for (let nth = 0; nth < lab.times(20); nth += 1)
    for (const one of compared) {
      const tweet = tweetId(900_000_000 + nth);
      const placed = { tweet, author: userId(1), stamp: stampAt(Date.now(), tweet) };
      const before = await processorTime(ctx.redis);
      await deliverTo(one.sort, placed, one.users);
      one.took += (await processorTime(ctx.redis)) - before;
    }
  await setPacked(lab, compactSettings["zset-max-listpack-entries"]);
  const [chosen, skipLists] = compared.map(({ took }) => took) as [number, number];
  return { bytesFullHome, deliveriesRatio: skipLists / chosen };
}

async function setPacked({ ctx: { redis } }: Lab, entries: number): Promise<void> {
  for (const node of primariesOf(redis))
    await node.config("SET", "zset-max-listpack-entries", entries);
}

/** Bytes of an entry in a list of so many stamps, larger than those of the site. */
async function bytesAnEntry(
  { ctx: { redis } }: Lab,
  count: number,
  member: (nth: number) => string,
) {
  const key = keys.notifications(userId(1));
  const entries = Array.from({ length: count }, (_, nth) => [
    stampAt(Date.now() + nth, ""),
    member(1_000_000 + nth * 7),
  ]);
  await redis.zadd(key, ...entries.flat());
  const bytes = Number(await redis.memory("USAGE", key, "SAMPLES", 0));
  await redis.del(key);
  return bytes / count;
}

async function fill(ctx: Lab["ctx"], user: UserId, count: number): Promise<void> {
  const entries = Array.from({ length: count - 1 }, (_, index) => {
    const id = String(1_000_000 + index * 1000 + (Number(user) % 1000));
    return { id, stamp: stampAt(Date.now() - (count - index) * 1000, id) };
  });
  await ensureHome(ctx, user, 0);
  await fillHome(ctx, user, { whose: "all", entries, floor: 0 });
}

/** All that Redis holds. */
export async function usedBytes(redis: RedisClient): Promise<number> {
  const info = await redis.info("memory");
  return Number(/^used_memory:(\d+)/m.exec(info)?.[1]);
}
