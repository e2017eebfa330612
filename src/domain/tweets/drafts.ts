import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { type TweetId, type UserId, userId } from "../ids.ts";
import { serializeTweet, type Tweet } from "./tweet.ts";

/** TTL of a draft and of its form's claim, unless delivery is promised. */
export const draftSeconds = 60;
/** A form submitted again after this many seconds posts again. */
const claimSeconds = 24 * 60 * 60;

/**
 * State of a tweet's id after drafting: a draft, or what a draft of the same submit has become; "taken" if the
 * id belongs to another tweet.
 */
type Drafted = "draft" | "tweet" | "tombstone" | "taken";

/**
 * Writes a tweet as a draft, which readers do not see, under no author, for a minute. `claim` is the digest of
 * the form. The caller promises delivery and then commits the draft.
 */
export async function draftTweet(ctx: Ctx, tweet: Tweet, claim: string): Promise<Drafted> {
  const key = keys.tweet(tweet.id);
  const fields = serializeTweet(tweet).map((field) => (field === "user_id" ? "drafted_by" : field));
  if ((await ctx.redis.createHash(key, draftSeconds, ...fields, "claim", claim)) === 1)
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

/** Makes a draft a tweet, and keeps its form's claim for a day. False if the draft has expired. */
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

/** For the job: commits the draft if the process that promised it ended before. */
export async function commitPromised(ctx: Ctx, id: TweetId): Promise<void> {
  const [author, claim] = await ctx.redis.hmget(keys.tweet(id), "drafted_by", "claim");
  if (typeof author === "string")
    await commitTweet(ctx, { id, author: userId(author), claim: claim ?? "" });
}
