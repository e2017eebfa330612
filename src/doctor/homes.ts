import { countFollowers } from "../domain/graph/follows.ts";
import { userId } from "../domain/ids.ts";
import { type Entry, toEntries } from "../domain/page.ts";
import { mergeFollowed } from "../domain/timelines/home.ts";
import { bigMember } from "../domain/timelines/store.ts";
import { keys } from "../redis/keys.ts";
import { eachKey, type Run, unlink } from "./run.ts";
import type { TweetFacts } from "./facts.ts";
import type { Item } from "./items.ts";

/** Newest entries of each home timeline whose authors are checked. */
const entriesChecked = 20;
/** Max followings of a user whose timeline is checked for missing tweets: more would take too long. */
const followingsMerged = 500;

/**
 * A home timeline has a floor, has only tweets of followings, and lacks none above its floor. Entries of
 * deleted tweets are allowed: readers remove them.
 */
export const homes = eachKey({
  of: ["homeTimeline"],
  // Each may have TIMELINE_CAP entries, and is compared with the timelines of hundreds of followings.
  atOnce: 10,
  async read(run, item) {
    const state = await run.facts.user(item.owner);
    return { ...item, state, ...(await findWrong(run, item)) };
  },
  jobs: ({ owner, tweets }) => [
    `import ${owner}`,
    ...tweets.flatMap(({ id, author }) => [
      `deliver ${id}`,
      `spread ${id}`,
      `reconcile-follow ${owner} ${author}`,
      `import ${author}`,
    ]),
  ],
  faults: {
    home: {
      detail: ({ state, detail }) => state === "alive" && detail,
      how: "delete it; it is made anew at the next look",
      repair: unlink,
    },
  },
});

/** What is wrong with a home timeline, and the tweets that are missing or too many. */
interface Wrong {
  detail: string | undefined;
  tweets: Pick<TweetFacts, "id" | "author">[];
}

const noWrong: Wrong = { detail: undefined, tweets: [] };

async function findWrong(run: Run, { key, owner }: Item): Promise<Wrong> {
  const { redis } = run.ctx;
  const [floor, entries, followings] = await Promise.all([
    redis.zscore(key, "floor"),
    redis.zrange(key, 0, "-1", "REV", "WITHSCORES"),
    redis.zcard(keys.followings(userId(owner))),
  ]);
  if (floor === null) return { detail: "has no floor", tweets: [] };
  // Not filled yet: rebuilt at the next look.
  if (floor === "inf") return noWrong;
  // Newest first.
  const stored = toEntries(entries).filter(({ id }) => id !== "floor");
  const foreign = await findForeign(run, owner, stored.slice(0, entriesChecked));
  const isDone = foreign.detail !== undefined || followings > followingsMerged;
  return isDone ? foreign : await findMissing(run, owner, { floor: Number(floor), stored });
}

async function findForeign(run: Run, owner: string, newest: Entry[]): Promise<Wrong> {
  const facts = await Promise.all(newest.map(({ id }) => run.facts.tweet(id)));
  const tweets = facts
    .filter((tweet) => tweet !== undefined)
    .filter(({ alive, author }) => alive && author !== owner);
  const since = await Promise.all(
    tweets.map(({ author }) => run.ctx.redis.zscore(keys.followings(userId(owner)), author)),
  );
  const foreign = tweets.filter((_, nth) => since[nth] === null);
  const [first] = foreign;
  const detail = first && `holds ${first.id} by ${first.author}, who is not followed`;
  return { detail, tweets: foreign };
}

/** Compares it with the user timelines, above the floor. */
async function findMissing(
  run: Run,
  owner: string,
  { floor, stored }: { floor: number; stored: Entry[] },
): Promise<Wrong> {
  const range = { before: undefined, after: floor, limit: run.ctx.config.timelineCap };
  const newest = await mergeFollowed(run.ctx, userId(owner), range);
  const storedIds = new Set(stored.map(({ id }) => id));
  const absent = newest.filter(({ id, stamp }) => !storedIds.has(id) && !run.isYoung(stamp));
  for (const { id } of absent) {
    const tweet = await run.facts.tweet(id);
    if (tweet?.alive !== true || (await isBig(run, tweet))) continue;
    return { detail: `lacks ${id} by ${tweet.author}`, tweets: [tweet] };
  }
  return noWrong;
}

/** Whether the tweet is by a big account: home pages take it from the big timeline. */
async function isBig({ ctx }: Run, { id, author, replyTo }: TweetFacts): Promise<boolean> {
  const inReplyToUser = replyTo?.author === author ? undefined : replyTo?.author;
  const member = bigMember({ tweet: id, author, inReplyToUser });
  if ((await ctx.redis.zscore(keys.bigTimeline, member)) !== null) return true;
  return (await countFollowers(ctx, author)) > ctx.config.bigAccountFollowers;
}
