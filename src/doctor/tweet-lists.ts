import { unlistTweet } from "../domain/actions/delete-cleanup.ts";
import { listTweet } from "../domain/actions/deliver-tweet.ts";
import { countFollowers } from "../domain/graph/follows.ts";
import { tweetId } from "../domain/ids.ts";
import { addToBigTimeline } from "../domain/timelines/big.ts";
import { fanOut } from "../domain/timelines/fan-out.ts";
import { addToTimelines } from "../domain/timelines/store.ts";
import { listReply, recount } from "../domain/tweets/reactions.ts";
import { findTombstone, findTweet } from "../domain/tweets/store.ts";
import { toTimelineTweet } from "../domain/tweets/tweet.ts";
import { keys, mostOf } from "../redis/keys.ts";
import { type Run, keyCheck } from "./run.ts";
import type { TweetFacts } from "./facts.ts";
import { type Item, type KeyName, rowOf } from "./items.ts";
import { jobsAbout } from "./jobs.ts";

/** Whether a tweet belongs to a list. `owner`: the id in the key. `other`: what follows the tweet's id in the member. */
type Belongs = (tweet: TweetFacts, owner: string, other: string | undefined) => boolean;

/** Lists of tweets, scored by their stamps. Home timelines have their own check. */
const belongs: Partial<Record<KeyName, Belongs>> = {
  userTimeline: ({ author }, owner) => author === owner,
  replies: ({ author, replyTo }, owner, to) => author === owner && replyTo?.author === to,
  answers: ({ author, replyTo }, owner, by) => author === by && replyTo?.author === owner,
  tweetReplies: ({ replyTo }, owner) => replyTo?.tweet === owner,
  globalTimeline: () => true,
  bigTimeline: ({ author }, _, by) => author === by,
};

/** Lists have only living tweets that belong there, with their stamps. */
export const tweetLists = keyCheck({
  of: Object.keys(belongs) as KeyName[],
  each: "member",
  async read(run, members) {
    const factsOf = await run.facts.tweets(members.map(idIn));
    const stateOf = await run.facts.users(members.filter(isUsers).map(({ owner }) => owner));
    return members.map((member) => {
      const { name, owner, id } = member;
      const facts = factsOf(idIn(member));
      const [, other] = id.split(":");
      return {
        ...member,
        facts,
        isRight: facts?.alive === true && belongs[name]?.(facts, owner, other) === true,
        ownerState: isUsers(member) ? stateOf(owner) : undefined,
      };
    });
  },
  jobs: (entry) => [
    ...jobsAbout(idIn(entry), entry.facts),
    ...(isUsers(entry) ? [`erase ${entry.owner}`] : []),
  ],
  faults: {
    "listed-wrongly": {
      detail({ id, value, facts, isRight, ownerState }, run) {
        if (run.isYoung(value)) return undefined;
        // A job erases the owner, or the operator decides about them.
        if (ownerState === "leaving" || ownerState === "lost") return undefined;
        if (facts?.alive !== true) return `has ${id}, which is gone`;
        if (!isRight) return `has ${id}, which does not belong there`;
        if (facts.createdAt === Number(value)) return undefined;
        return `has ${id} at ${value}, though it is of ${facts.createdAt}`;
      },
      how: "take it out, or set its stamp right",
      async repair(run, { facts, isRight, ...entry }) {
        if (facts === undefined || !isRight) await takeOut(run, entry);
        else await run.ctx.redis.zadd(entry.key, "XX", facts.createdAt, entry.id);
      },
    },
  },
});

function idIn({ id }: Item): string {
  return id.split(":", 1)[0] ?? "";
}

/** Whether the list is a user's. */
function isUsers({ name }: Item): boolean {
  return name !== "tweetReplies" && rowOf(name).pattern.includes("<");
}

/** Removes a deleted tweet from all lists, as its deletion should have done. */
async function takeOut({ ctx }: Run, entry: Item): Promise<void> {
  const tweet = tweetId(idIn(entry));
  const tombstone = await findTombstone(ctx, tweet);
  if (tombstone !== undefined && (await findTweet(ctx, tweet)) === undefined)
    await unlistTweet(ctx, tombstone);
  await ctx.redis.zrem(entry.key, entry.id);
  if (entry.name === "tweetReplies") await recount(ctx, tweetId(entry.owner), "replies");
}

/** Older tweets are listed again without the global timeline: they may be imported. */
const newsMicroseconds = 24 * 60 * 60 * 1e6;

/** Each tweet is in its author's timeline; a reply also in the lists of the answered tweet and user. */
export const unlistedTweets = keyCheck({
  of: ["tweet"],
  async read(run, items) {
    const tweets = await run.livingTweets(items);
    const missing = await findMissing(run, tweets);
    return tweets.map((one) => ({ ...one, missing: missing.get(one.tweet) }));
  },
  jobs: ({ tweet }) => jobsAbout(tweet.id, tweet),
  faults: {
    "tweet-unlisted": {
      detail: ({ missing }) => missing !== undefined && `does not stand in ${missing}`,
      how: "list it, and bring it to the followers",
      repair: (run, { tweet }) => listAgain(run, tweet),
    },
  },
});

/** By tweet, the key of a list that should have it but does not. */
async function findMissing(
  run: Run,
  tweets: { tweet: TweetFacts }[],
): Promise<Map<TweetFacts, string>> {
  const answered = tweets.flatMap(({ tweet }) => tweet.replyTo ?? []);
  const authors = tweets.map(({ tweet }) => tweet.author);
  const stateOf = await run.facts.users([...authors, ...answered.map(({ author }) => author)]);
  const factsOf = await run.facts.tweets(answered.map(({ tweet }) => tweet));
  const expected = tweets.flatMap(({ tweet }) => {
    const { id, author, replyTo } = tweet;
    if (stateOf(author) !== "alive") return [];
    const lists = [{ tweet, key: keys.userTimeline(author), member: id as string }];
    if (replyTo === undefined) return lists;
    if (factsOf(replyTo.tweet)?.alive === true)
      lists.push({ tweet, key: keys.tweetReplies(replyTo.tweet), member: id });
    if (replyTo.author === author) return lists;
    lists.push({ tweet, key: keys.replies(author), member: `${id}:${replyTo.author}` });
    if (stateOf(replyTo.author) === "alive")
      lists.push({ tweet, key: keys.answers(replyTo.author), member: `${id}:${author}` });
    return lists;
  });
  const entries = await run.ask(expected, ({ key, member }) => ({
    stamp: ["zscore", key, member],
  }));
  const absent = await run.ask(
    entries.filter(({ stamp }) => stamp === null),
    ({ tweet, key }) => ({ newer: ["zcount", key, tweet.createdAt, "+inf"] }),
  );
  const missing = absent.filter(({ tweet: { replyTo }, key, newer }) => {
    // A list of answers may have been cut above the tweet.
    const isAnswers = replyTo !== undefined && key === keys.answers(replyTo.author);
    return !isAnswers || newer < mostOf("answers");
  });
  // The first of each tweet's lists stays.
  return new Map(missing.toReversed().map(({ tweet, key }) => [tweet, key]));
}

/** Recent tweets are delivered again; older ones only return to their lists. */
async function listAgain({ ctx }: Run, { id, createdAt, author }: TweetFacts): Promise<void> {
  const tweet = await findTweet(ctx, id);
  if (tweet === undefined) return;
  if (ctx.now() * 1000 - createdAt < newsMicroseconds) {
    await ctx.jobs.deliverTweet(id, "again");
    await listTweet(ctx, tweet);
    return;
  }
  const placed = { ...toTimelineTweet(tweet), unlisted: true };
  await addToTimelines(ctx, placed);
  await listReply(ctx, tweet);
  if ((await countFollowers(ctx, author)) > ctx.config.bigAccountFollowers)
    await addToBigTimeline(ctx, placed);
  else await fanOut(ctx, placed, { done: 0, save: async () => {} });
  // If it was deleted meanwhile, the deletion may have looked before.
  if ((await findTweet(ctx, id)) === undefined)
    await ctx.jobs.chore("reconcile-deletion", { tweet: id });
}
