import { unlistTweet } from "../domain/actions/delete-cleanup.ts";
import { listTweet } from "../domain/actions/deliver-tweet.ts";
import { countFollowers } from "../domain/graph/follows.ts";
import { type TweetId, tweetId } from "../domain/ids.ts";
import { addToBigTimeline } from "../domain/timelines/big.ts";
import { fanOut } from "../domain/timelines/fan-out.ts";
import { addToTimelines } from "../domain/timelines/store.ts";
import { conversationOf } from "../domain/messages/people.ts";
import { audienceOf, isMessage, narrower } from "../domain/tweets/audience.ts";
import { listReply, recount, repliesOf } from "../domain/tweets/reactions.ts";
import { findTombstone, findTweet } from "../domain/tweets/store.ts";
import { toTimelineTweet } from "../domain/tweets/tweet.ts";
import { type KeyName, keys, mostOf } from "../redis/keys.ts";
import { eachKey, type Run } from "./run.ts";
import type { TweetFacts } from "./facts.ts";
import { type Item, rowOf } from "./items.ts";
import { jobsAbout } from "./jobs.ts";

/** Whether a tweet belongs to a list. `owner`: the id in the key. `other`: what follows the tweet's id in the member. */
type Belongs = (tweet: TweetFacts, owner: string, other: string | undefined) => boolean;

/** Lists of tweets, scored by their stamps. Home timelines have their own check. */
const belongs: Partial<Record<KeyName, Belongs>> = {
  userTimeline: (tweet, owner) => tweet.author === owner && !isMessage(tweet),
  replies: ({ author, replyTo }, owner, to) => author === owner && replyTo?.author === to,
  answers: ({ author, replyTo }, owner, by) => author === by && replyTo?.author === owner,
  conversation: (tweet, people) => isMessage(tweet) && conversationOf(tweet) === people,
  sentMessages: (tweet, owner) => tweet.author === owner && isMessage(tweet),
  tweetReplies: ({ replyTo, ...tweet }, owner) => replyTo?.tweet === owner && isForAll(tweet),
  hiddenReplies: ({ replyTo }, owner) => replyTo?.tweet === owner,
  globalTimeline: () => true,
  bigTimeline: ({ author }, _, by) => author === by,
};

/** Whether a reply is counted, unless its author was protected at the time. */
function isForAll(tweet: Pick<TweetFacts, "audience">): boolean {
  return narrower(audienceOf(tweet), "unlisted") === "unlisted";
}

/** Lists have only living tweets that belong there, with their stamps. */
export const tweetLists = eachKey({
  of: Object.keys(belongs) as KeyName[],
  each: "member",
  read: async (run, member) => {
    const { name, owner, id } = member;
    const [tweet = "", other] = id.split(":");
    const facts = await run.facts.tweet(tweet);
    const isUsers = rowOf(name).pattern.includes("<user>");
    const ownerState = isUsers ? await run.facts.user(owner) : undefined;
    const isRight = facts?.alive === true && belongs[name]?.(facts, owner, other) === true;
    return { ...member, tweet: tweetId(tweet), facts, isRight, ownerState };
  },
  jobs: ({ tweet, facts }) => jobsAbout(tweet, facts),
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
        if (facts === undefined || !isRight) await removeEntry(run, entry);
        else await run.ctx.redis.zadd(entry.key, "XX", facts.createdAt, entry.id);
      },
    },
  },
});

/** Removes a deleted tweet from all lists, as its deletion should have done. */
async function removeEntry({ ctx }: Run, entry: Item & { tweet: TweetId }): Promise<void> {
  const { tweet } = entry;
  const tombstone = await findTombstone(ctx, tweet);
  if (tombstone !== undefined && (await findTweet(ctx, tweet)) === undefined)
    await unlistTweet(ctx, tombstone);
  await ctx.redis.zrem(entry.key, entry.id);
  if (entry.name === "tweetReplies") await recount(ctx, tweetId(entry.owner), "replies");
}

/** Older tweets are listed again without the global timeline: they may be imported. */
const newsMicroseconds = 24 * 60 * 60 * 1e6;

/** Each tweet is in its author's timeline; a reply also in the lists of the answered tweet and user. */
export const unlistedTweets = eachKey({
  of: ["tweet"],
  read: async (run, item) => {
    const tweet = await run.livingTweet(item.owner);
    if (tweet === undefined) return undefined;
    for (const { key, member, most } of await listsOf(run, tweet)) {
      const [stamp, newer] = await Promise.all([
        run.ctx.redis.zscore(key, member),
        // The list may have been cut above the tweet.
        most === Infinity ? 0 : run.ctx.redis.zcount(key, tweet.createdAt, "+inf"),
      ]);
      if (stamp === null && newer < most) return { ...item, tweet, missing: key };
    }
    return undefined;
  },
  jobs: ({ tweet }) => jobsAbout(tweet.id, tweet),
  faults: {
    "tweet-unlisted": {
      detail: ({ missing }) => `does not stand in ${missing}`,
      how: "list it, and bring it to the followers",
      repair: (run, { tweet }) => listAgain(run, tweet),
    },
  },
});

/** The lists in which a tweet belongs. `most`: max members; Infinity for a list that is never cut. */
async function listsOf({ ctx, facts }: Run, tweet: TweetFacts) {
  const { id, author, replyTo } = tweet;
  const isAlive = async (user: string) => (await facts.user(user)) === "alive";
  if (!(await isAlive(author))) return [];
  const ownKeys = isMessage(tweet)
    ? [keys.sentMessages(author), keys.conversation(conversationOf(tweet))]
    : [keys.userTimeline(author)];
  const lists = ownKeys.map((key) => ({ key, member: id as string, most: Infinity }));
  if (replyTo === undefined) return lists;
  if ((await facts.tweet(replyTo.tweet))?.alive === true) {
    const [counted, hidden] = repliesOf(replyTo.tweet);
    const isHidden = !isForAll(tweet) || (await ctx.redis.zscore(hidden, id)) !== null;
    lists.push({ key: isHidden ? hidden : counted, member: id, most: Infinity });
  }
  if (replyTo.author === author || isMessage(tweet)) return lists;
  lists.push({ key: keys.replies(author), member: `${id}:${replyTo.author}`, most: Infinity });
  const answers = { key: keys.answers(replyTo.author), member: `${id}:${author}` };
  if (await isAlive(replyTo.author)) lists.push({ ...answers, most: mostOf("answers") });
  return lists;
}

/** Recent tweets are delivered again; older ones only return to their lists. */
async function listAgain({ ctx }: Run, { id, createdAt, author }: TweetFacts): Promise<void> {
  const tweet = await findTweet(ctx, id);
  if (tweet === undefined) return;
  if (isMessage(tweet)) return await listTweet(ctx, tweet);
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
