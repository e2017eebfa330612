import type { Ctx } from "../../context.ts";
import { followedAmong } from "../graph/follows.ts";
import type { TweetId, UserId } from "../ids.ts";
import { isMessage } from "../tweets/audience.ts";
import { recallEvenDeleted } from "../tweets/store.ts";
import { mentionsOrAnswers, type Tweet } from "../tweets/tweet.ts";

/** Max tweets above a reply whose limits hold for it: the first of the conversation is always among them. */
const limitsAtMost = 10;

/**
 * Who may answer a tweet, and so what is below it: its own choice, and those of the tweets above, hold together. `problem`:
 * why `replier`, who sees the tweet, may not. `isLimited`: whether there is any limit. A message is for its people, who
 * all may answer.
 */
export async function replyRule(ctx: Ctx, replier: UserId, tweet: Tweet) {
  if (isMessage(tweet)) return { isLimited: false, problem: undefined };
  // Also tweets that are deleted: what was said to those who answered stays true.
  const above = [...(await recallEvenDeleted(ctx, limitsOn(tweet))).values()].filter(isLimit);
  const isLimited = above.length > 0 || isLimit(tweet);
  const isLetIn = async (limit: Tweet) => await lets(ctx, replier, limit, tweet);
  if (!(await isLetIn(tweet))) return { isLimited, problem: "reply.limited" } as const;
  const all = await Promise.all(above.map(isLetIn));
  return { isLimited, problem: all.every(Boolean) ? undefined : "reply.limitedAbove" } as const;
}

function isLimit({ repliesFrom = "everyone" }: Tweet): boolean {
  return repliesFrom !== "everyone";
}

/** Whether a limit lets a user answer a tweet. Its author invites by naming or answering, also further below. */
async function lets(ctx: Ctx, replier: UserId, limit: Tweet, tweet: Tweet): Promise<boolean> {
  const { author, repliesFrom } = limit;
  if (!isLimit(limit) || author === replier || mentionsOrAnswers(limit, replier)) return true;
  if (tweet.author === author && mentionsOrAnswers(tweet, replier)) return true;
  return repliesFrom === "followed" && (await followedAmong(ctx, author, [replier])).has(replier);
}

/** The tweets above a reply whose limits hold for its answers. One of an earlier version knows only what it answers. */
function limitsOn({ replyTo, limitsOf }: Tweet): readonly TweetId[] {
  return limitsOf ?? (replyTo === undefined ? [] : [replyTo.tweet]);
}

/** The same for an answer to `answered`, as it is stored: undefined if that is the first of the conversation. */
export function limitsBelow(answered: Tweet): readonly TweetId[] | undefined {
  if (answered.replyTo === undefined) return undefined;
  const above = limitsOn(answered);
  const isAdded = isLimit(answered) && above.length < limitsAtMost;
  return isAdded ? [...above, answered.id] : above;
}
