import type { Chores, Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { Invalid } from "../errors.ts";
import { getSeen } from "../feeds/sight.ts";
import { type TweetId, tweetId, type UserId, stampAt } from "../ids.ts";
import { notifyAll } from "../notifications/notify-all.ts";
import { notify } from "../notifications/store.ts";
import { isOver, listPoll, takeBackVote, votersFrom } from "../tweets/poll.ts";
import { findTweet } from "../tweets/store.ts";
import type { Tweet } from "../tweets/tweet.ts";

/** Polls that are ended at a time. */
const atOnce = 100;

/**
 * Votes in the poll of a tweet, or of a retweet's original. The user's list comes first: erasing the account finds in it
 * what it may have to take back. The same vote again changes nothing. Throws NotFound, Blocked, Invalid.
 */
export async function vote(ctx: Ctx, user: UserId, id: TweetId, choices: readonly number[]) {
  const { tweet } = await getSeen(ctx, user, id);
  const spelled = checkVote(ctx, user, tweet, choices);
  await ctx.redis.zadd(keys.votes(user), tweet.createdAt, tweet.id);
  if ((await ctx.redis.setVote(keys.tweetVotes(tweet.id), user, spelled)) === 0)
    throw new Invalid({ form: "poll.voted" });
  // It may have been deleted meanwhile, with the votes that there were.
  if ((await findTweet(ctx, tweet.id)) === undefined) await takeBackVote(ctx, user, tweet.id);
}

/** The vote as it is stored. */
function checkVote(ctx: Ctx, user: UserId, { author, poll }: Tweet, choices: readonly number[]) {
  const chosen = [...new Set(choices)].toSorted((one, other) => one - other);
  if (poll === undefined) throw new Invalid({ form: "poll.none" });
  if (author === user) throw new Invalid({ form: "poll.own" });
  if (isOver(poll, ctx.now())) throw new Invalid({ form: "poll.over" });
  const isNumber = chosen.length === 1 || (poll.several === true && chosen.length > 1);
  if (!isNumber || chosen.some((one) => poll.choices[one] === undefined))
    throw new Invalid({ form: "poll.choice" });
  return chosen.join(",");
}

/** Promises to end the polls that are due. One small read if none is. */
export async function promiseDuePolls(ctx: Ctx): Promise<void> {
  if ((await ctx.redis.zcount(keys.endingPolls, 0, ctx.now())) > 0)
    await ctx.jobs.chore("end-polls", {});
}

/** The chore: tells the authors of the polls that have ended, and promises to tell the voters. May run twice. */
export async function endDuePolls(ctx: Ctx, alive: () => void = () => {}): Promise<void> {
  const range = ["BYSCORE", "LIMIT", 0, atOnce] as const;
  const due = await ctx.redis.zrange(keys.endingPolls, 0, String(ctx.now()), ...range);
  for (const id of due.map(tweetId)) {
    await endPoll(ctx, id);
    alive();
  }
  if (due.length === atOnce) await endDuePolls(ctx, alive);
}

/** A poll that is gone, or that was never posted, ends without a word. */
async function endPoll(ctx: Ctx, id: TweetId): Promise<void> {
  const tweet = await findTweet(ctx, id);
  if (tweet?.poll !== undefined) {
    if (!isOver(tweet.poll, ctx.now())) return await listPoll(ctx, tweet);
    const stamp = stampAt(ctx.now(), id);
    const { author } = tweet;
    await notify(ctx, { kind: "poll", tweet: id, actor: author, stamp, to: author });
    await ctx.jobs.chore("tell-voters", { tweet: id, stamp, cursor: "0" });
  }
  await ctx.redis.zrem(keys.endingPolls, id);
}

/**
 * The promised chore: tells the next voters of the end of a poll, all with one stamp, and promises to tell the rest. May
 * run twice.
 */
export async function tellVoters(ctx: Ctx, { tweet: id, stamp, cursor }: Chores["tell-voters"]) {
  const tweet = await findTweet(ctx, id);
  if (tweet === undefined) return;
  const { voters, next } = await votersFrom(ctx, id, cursor);
  await notifyAll(ctx, voters, { kind: "poll", tweet: id, actor: tweet.author, stamp });
  if (next !== undefined) await ctx.jobs.chore("tell-voters", { tweet: id, stamp, cursor: next });
}
