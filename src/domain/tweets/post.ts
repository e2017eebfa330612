import { createHash } from "node:crypto";
import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { Invalid } from "../errors.ts";
import { type TweetId, tweetId, type UserId } from "../ids.ts";
import { type Stamp, stampAt } from "../stamp.ts";
import { deliverTo } from "../timelines/fan-out.ts";
import { placeTweet } from "../timelines/store.ts";
import { createTweet, findTweet } from "./store.ts";
import { checkText } from "./text.ts";

/** A form submitted again after this many seconds makes a tweet again. */
const nonceSeconds = 24 * 60 * 60;

export interface NewTweet {
  text: string;
  /** Sent again with the same text, it stands for the same tweet. */
  nonce?: string | undefined;
}

/**
 * Posts a tweet. The promise of its delivery commits it; what follows is done again by the job, so
 * a crash at any point leaves either a whole tweet or none. Throws Invalid.
 */
export async function postTweet(ctx: Ctx, author: UserId, input: NewTweet): Promise<TweetId> {
  const { text, problem } = checkText(input.text);
  if (problem !== undefined) throw new Invalid({ text: problem });
  const { tweet, stamp } = await claimId(ctx, author, text, input.nonce);
  const isNew = await createTweet(ctx, { id: tweet, author, text, createdAt: stamp });
  // A form submitted again does not bring back what was deleted.
  if (!isNew && (await findTweet(ctx, tweet)) === undefined) return tweet;
  await ctx.jobs.deliverTweet(tweet);
  const placed = { tweet, author, stamp };
  await placeTweet(ctx, placed);
  await deliverTo(ctx, placed, [author]);
  return tweet;
}

/** A new id and its moment; for a form that was submitted before, those of the first time. */
async function claimId(
  ctx: Ctx,
  author: UserId,
  text: string,
  nonce: string | undefined,
): Promise<{ tweet: TweetId; stamp: Stamp }> {
  const tweet = tweetId(await ctx.redis.incr(keys.tweetIds));
  const stamp = stampAt(ctx.now(), tweet);
  if (nonce === undefined) return { tweet, stamp };
  // With the text in it: who goes back, writes something else and submits, means another tweet.
  const digest = createHash("sha256").update(`${nonce}\0${text}`).digest("base64url").slice(0, 22);
  const claim = keys.nonce(author, digest);
  const held = await ctx.redis.set(claim, `${tweet}:${stamp}`, "EX", nonceSeconds, "NX", "GET");
  if (held === null) return { tweet, stamp };
  const [heldTweet = "", heldStamp = ""] = held.split(":");
  return { tweet: tweetId(heldTweet), stamp: Number(heldStamp) };
}
