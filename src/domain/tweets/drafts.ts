import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { type TweetId, type UserId, userId } from "../ids.ts";
import { serializeTweet, type Tweet } from "./tweet.ts";

/** A post that was not promised within so many seconds never was; nor does its form stand for it. */
export const draftSeconds = 60;
/** A form submitted again after this many seconds makes a tweet again. */
const claimSeconds = 24 * 60 * 60;

/**
 * What is under a tweet's id after it was drafted: a draft, or what one of the same submit has become;
 * "taken" where it is another tweet.
 */
export type Drafted = "draft" | "tweet" | "tombstone" | "taken";

/**
 * Writes a tweet so that nobody sees it, under no author, for a minute; `claim` is the digest of the form
 * that it is of. Whoever promises its delivery then commits it.
 */
export async function draftTweet(ctx: Ctx, tweet: Tweet, claim: string): Promise<Drafted> {
  const key = keys.tweet(tweet.id);
  const fields = serializeTweet(tweet).map((field) => (field === "user_id" ? "drafted_by" : field));
  if ((await ctx.redis.draftHash(key, draftSeconds, ...fields, "claim", claim)) === 1)
    return "draft";
  const [draftedBy, author, createdAt, deletedAt] = await ctx.redis.hmget(
    key,
    "drafted_by",
    "user_id",
    "created_at",
    "deleted_at",
  );
  if ((draftedBy ?? author) !== tweet.author || createdAt !== String(tweet.createdAt))
    return "taken";
  if (typeof deletedAt === "string") return "tombstone";
  return typeof draftedBy === "string" ? "draft" : "tweet";
}

/** Makes a tweet of a draft; its form stands for it for a day. False if the draft has lapsed. */
export async function commitTweet(
  ctx: Ctx,
  { id, author, claim }: { id: TweetId; author: UserId; claim: string },
): Promise<boolean> {
  const [isCommitted] = await Promise.all([
    ctx.redis.commitTweet(keys.tweet(id)),
    claim === "" ? undefined : ctx.redis.expire(keys.nonce(author, claim), claimSeconds),
  ]);
  return isCommitted === 1;
}

/** For the job: its promise is kept, though who made it may have ended before the tweet was committed. */
export async function commitPromised(ctx: Ctx, id: TweetId): Promise<void> {
  const [author, claim] = await ctx.redis.hmget(keys.tweet(id), "drafted_by", "claim");
  if (typeof author === "string")
    await commitTweet(ctx, { id, author: userId(author), claim: claim ?? "" });
}
