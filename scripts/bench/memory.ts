import type { RedisClient } from "../../src/redis/redis-client.ts";
import { tweetId, type UserId } from "../../src/domain/ids.ts";
import { deliverTo } from "../../src/domain/timelines/fan-out.ts";
import { fillHome, ensureHome } from "../../src/domain/timelines/home-store.ts";
import { stampAt } from "../../src/domain/stamp.ts";
import { postTweet } from "../../src/domain/actions/post-tweet.ts";
import { each, type Lab, makePeople } from "./lab.ts";
import { timeEach, median } from "./load.ts";

const setting = "zset-max-listpack-entries";
const peopleWanted = 2000;
const full = 700;
const tweetsWanted = 10_000;

/** Bytes that Redis needs for each home entry, tweet and user, with fast and with compact sorted sets. */
export async function memory(lab: Lab) {
  const fast = await measure(lab, "128");
  const compact = await measure(lab, "1024");
  await lab.ctx.redis.config("SET", setting, "128");
  return {
    ours: compact.homeEntry,
    limit: fast.homeEntry,
    ratio: compact.homeEntry / fast.homeEntry,
    unit: "bytes a home entry, compact : fast",
    fast,
    compact,
  };
}

async function measure(lab: Lab, entries: string) {
  const { redis } = lab.ctx;
  const people = Math.max(200, Math.round(peopleWanted * lab.scale));
  const tweets = Math.max(1000, Math.round(tweetsWanted * lab.scale));
  await lab.clear();
  await redis.config("SET", setting, entries);
  const empty = await usedBytes(redis);
  const users = await makePeople(lab, "person", people);
  const withUsers = await usedBytes(redis);
  await each(lab, "home timelines", users.length, (nth) => fill(lab, users[nth], nth));
  const withHomes = await usedBytes(redis);
  const rate = await deliveryRate(lab, users);
  await lab.clear();
  const [author] = await makePeople(lab, "author", 1);
  const before = await usedBytes(redis);
  const promises = { ...lab.ctx.jobs, deliverTweet: async () => {} };
  await each(lab, "tweets", tweets, async (nth) => {
    const text = `Bench tweet ${nth}: a sparrow sat on the wire and thought of bread.`;
    if (author !== undefined) await postTweet({ ...lab.ctx, jobs: promises }, author, { text });
  });
  const after = await usedBytes(redis);
  return {
    homeEntry: (withHomes - withUsers) / (people * full),
    user: (withUsers - empty) / people,
    tweet: (after - before) / tweets,
    deliveriesIntoFull: rate,
  };
}

async function fill(lab: Lab, user: UserId | undefined, nth: number): Promise<void> {
  if (user === undefined) return;
  const entries = Array.from({ length: full }, (_, index) => {
    const id = String(1_000_000 + index * peopleWanted + nth);
    return { id, stamp: stampAt(Date.now() - (full - index) * 1000, id) };
  });
  await ensureHome(lab.ctx, user, 0);
  await fillHome(lab.ctx, user, { whose: "all", entries, floor: 0 });
}

/** Deliveries a second into these long timelines, by the script alone. */
async function deliveryRate(lab: Lab, users: UserId[]): Promise<number> {
  const [author] = users;
  if (author === undefined) return 0;
  const took = await timeEach(20, async (nth) => {
    const tweet = tweetId(900_000_000 + nth);
    await deliverTo(lab.ctx, { tweet, author, stamp: stampAt(Date.now(), tweet) }, users);
  });
  return users.length / (median(took) / 1000);
}

/** All that Redis holds. */
export async function usedBytes(redis: RedisClient): Promise<number> {
  const info = await redis.info("memory");
  return Number(/^used_memory:(\d+)/m.exec(info)?.[1]);
}
