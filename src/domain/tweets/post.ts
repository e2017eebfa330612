import { createHash } from "node:crypto";
import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { Invalid, NotFound } from "../errors.ts";
import { type TweetId, tweetId, type UserId } from "../ids.ts";
import { type Stamp, stampAt } from "../stamp.ts";
import { isBlocked, requireNoBlock } from "../users/block.ts";
import { findNamed } from "../users/store.ts";
import { listTweet } from "./deliver.ts";
import { mentionsIn } from "./entities.ts";
import { createTweet, findTweet, getOriginal } from "./store.ts";
import type { Tweet, TweetRef } from "./tweet.ts";
import { checkText } from "./text.ts";

/** A form submitted again after this many seconds makes a tweet again. */
const nonceSeconds = 24 * 60 * 60;

export interface NewTweet {
  text: string;
  /** Sent again with the same text, it stands for the same tweet. */
  nonce?: string | undefined;
  /** The tweet that it answers; of a retweet, what that retweets. */
  replyTo?: TweetId | undefined;
  /** The tweet of this site that its text links to; there may be none. */
  quoteOf?: TweetId | undefined;
}

/**
 * Posts a tweet. The promise of its delivery commits it; what follows is done again by the job, so
 * a crash at any point leaves either a whole tweet or none. Throws Invalid: beside the form if the
 * tweet that it answers is gone; Blocked if there is a block between the two.
 */
export async function postTweet(ctx: Ctx, author: UserId, input: NewTweet): Promise<TweetId> {
  const { text, problem } = checkText(input.text);
  if (problem !== undefined) throw new Invalid({ text: problem });
  const [replyTo, quoteOf, mentions] = await Promise.all([
    findAnswered(ctx, author, input.replyTo),
    findQuoted(ctx, author, input.quoteOf),
    findNamed(ctx, mentionsIn(text)),
  ]);
  const { id, createdAt } = await claimId(ctx, author, text, input.nonce);
  const tweet: Tweet = { id, author, text, createdAt, replyTo, quoteOf, mentions };
  const isNew = await createTweet(ctx, tweet);
  // A form submitted again does not bring back what was deleted.
  if (!isNew && (await findTweet(ctx, id)) === undefined) return id;
  await ctx.jobs.deliverTweet(id);
  await listTweet(ctx, tweet);
  return id;
}

async function findAnswered(
  ctx: Ctx,
  author: UserId,
  id: TweetId | undefined,
): Promise<TweetRef | undefined> {
  if (id === undefined) return undefined;
  const tweet = await getOriginal(ctx, id).catch((error: unknown) => {
    throw error instanceof NotFound ? new Invalid({ form: "reply.gone" }) : error;
  });
  await requireNoBlock(ctx, author, tweet.author);
  return { tweet: tweet.id, author: tweet.author };
}

/** With a block in between, the link stays a link. */
async function findQuoted(
  ctx: Ctx,
  author: UserId,
  id: TweetId | undefined,
): Promise<TweetRef | undefined> {
  const tweet = id && (await findTweet(ctx, id));
  if (tweet === undefined) return undefined;
  const quoted = tweet.retweetOf ?? { tweet: tweet.id, author: tweet.author };
  return (await isBlocked(ctx, author, quoted.author)) ? undefined : quoted;
}

/** A new id and its moment; for a form that was submitted before, those of the first time. */
async function claimId(
  ctx: Ctx,
  author: UserId,
  text: string,
  nonce: string | undefined,
): Promise<{ id: TweetId; createdAt: Stamp }> {
  const id = tweetId(await ctx.redis.incr(keys.tweetIds));
  const createdAt = stampAt(ctx.now(), id);
  if (nonce === undefined) return { id, createdAt };
  // With the text in it: who goes back, writes something else and submits, means another tweet.
  const digest = createHash("sha256").update(`${nonce}\0${text}`).digest("base64url").slice(0, 22);
  const claim = keys.nonce(author, digest);
  const held = await ctx.redis.set(claim, `${id}:${createdAt}`, "EX", nonceSeconds, "NX", "GET");
  if (held === null) return { id, createdAt };
  const [heldId = "", heldStamp = ""] = held.split(":");
  return { id: tweetId(heldId), createdAt: Number(heldStamp) };
}
