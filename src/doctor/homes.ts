import { countFollowers } from "../domain/graph/follows.ts";
import { userId } from "../domain/ids.ts";
import { type Entry, toEntries } from "../domain/page.ts";
import { mergeFollowed } from "../domain/timelines/home.ts";
import { bigMember } from "../domain/timelines/store.ts";
import { keys } from "../redis/keys.ts";
import { eachKey, type Run } from "./run.ts";
import type { TweetFacts } from "./facts.ts";

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
    const { redis } = run.ctx;
    const { key, owner } = item;
    const [state, floor, entries, followings] = await Promise.all([
      run.facts.user(owner),
      redis.zscore(key, "floor"),
      redis.zrange(key, 0, "-1", "REV", "WITHSCORES"),
      redis.zcard(keys.followings(userId(owner))),
    ]);
    const stored = toEntries(entries).filter(({ id }) => id !== "floor");
    return { ...item, state, ...(await findWrong(run, { owner, floor, stored, followings })) };
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
      repair: ({ ctx }, { key }) => ctx.redis.unlink(key),
    },
  },
});

/** What is wrong with a home timeline, and the tweets that are missing or too many. */
interface Wrong {
  detail: string | undefined;
  tweets: Pick<TweetFacts, "id" | "author">[];
}

const noWrong: Wrong = { detail: undefined, tweets: [] };

interface Home {
  owner: string;
  floor: string | null;
  /** Newest first. */
  stored: Entry[];
  /** Number of followings. */
  followings: number;
}

async function findWrong(run: Run, home: Home): Promise<Wrong> {
  if (home.floor === null) return { detail: "has no floor", tweets: [] };
  // Not filled yet: rebuilt at the next look.
  if (home.floor === "inf") return noWrong;
  const foreign = await findForeign(run, home);
  const isDone = foreign.detail !== undefined || home.followings > followingsMerged;
  return isDone ? foreign : await findMissing(run, home);
}

async function findForeign(run: Run, { owner, stored }: Home): Promise<Wrong> {
  const newest = stored.slice(0, entriesChecked);
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
async function findMissing(run: Run, { owner, floor, stored }: Home): Promise<Wrong> {
  const after = Number(floor);
  const range = { before: undefined, after, limit: run.ctx.config.timelineCap };
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
