import type { Ctx } from "../../context.ts";
import { keys, ttlOf } from "../../redis/keys.ts";
import { type TweetId, type UserId, userId } from "../ids.ts";
import { stampAt } from "../stamp.ts";
import { readUser } from "../users/store.ts";
import { buryTweet } from "./store.ts";
import { serializeTweet, type Tweet } from "./tweet.ts";

/** TTL of a draft and of its form's claim, unless delivery is promised. */
export const draftSeconds = 60;

/**
 * State of a tweet's id after drafting: a draft, or what a draft of the same submit has become; "taken" if the
 * id belongs to another tweet.
 */
type Drafted = "draft" | "tweet" | "tombstone" | "taken";

/**
 * Writes a tweet as a draft, which readers do not see, under no author, for a minute. `claim` is the digest of
 * the form, `generation` that of the author. The caller promises delivery and then commits the draft.
 */
export async function draftTweet(
  ctx: Ctx,
  tweet: Tweet,
  { claim, generation }: { claim: string; generation: string },
): Promise<Drafted> {
  const key = keys.tweet(tweet.id);
  const fields = serializeTweet(tweet, "drafted_by");
  fields.push("claim", claim, "generation", generation);
  if ((await ctx.redis.createHash(key, draftSeconds, ...fields)) === 1) return "draft";
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

/**
 * Makes a draft a tweet, and keeps its form's claim for a day. Resolves to whether it was done now or before, or the
 * draft has expired.
 */
export async function commitTweet(
  ctx: Ctx,
  { id, author, claim }: { id: TweetId; author: UserId; claim: string },
): Promise<"now" | "before" | "expired"> {
  const [committed] = await Promise.all([
    ctx.redis.commitTweet(keys.tweet(id)),
    claim === "" ? undefined : ctx.redis.expire(keys.nonce(author, claim), ttlOf("nonce")),
  ]);
  if (committed === 0) return "expired";
  return committed === 1 ? "now" : "before";
}

/**
 * For the job: commits the draft if the process that promised it ended before. Not if the author's password has
 * changed, or the account has ended: such a draft expires.
 */
export async function commitPromised(ctx: Ctx, id: TweetId): Promise<void> {
  const fields = ["drafted_by", "claim", "generation"];
  const [by, claim, generation] = await ctx.redis.hmget(keys.tweet(id), ...fields);
  if (typeof by !== "string") return;
  const author = userId(by);
  const isValid = async () => (await readUser(ctx, author))?.generation === (generation ?? "");
  if (!(await isValid())) return;
  const committed = await commitTweet(ctx, { id, author, claim: claim ?? "" });
  // Account and tweet are in two slots: no script checks the one and commits the other.
  if (committed === "now" && !(await isValid())) await buryTweet(ctx, id, stampAt(ctx.now(), id));
}
