import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { removeTweet } from "../actions/delete-tweet.ts";
import { unfollow } from "../actions/follow.ts";
import { tweetId, type UserId, userId } from "../ids.ts";
import { findTweet } from "../tweets/store.ts";
import type { ImportProgress } from "./import-run.ts";

/** Claims of one step. */
const claimsAtOnce = 100;
/** Tweets that are deleted at the same time. */
const atOnce = 5;

/** Field of the claim of a follow, in the hash of the claims of tweets. */
export function followClaim(followee: UserId): string {
  return `follow:${followee}`;
}

/**
 * Removes the next tweets and follows that an import has brought, as if the user did; what was there before stays, and
 * so does what the user wrote. Without their claims the same file can bring them again. May run twice.
 */
export async function removeImported(
  ctx: Ctx,
  user: UserId,
  { id, progress }: { id: string; progress: ImportProgress },
): Promise<Partial<ImportProgress>> {
  const key = keys.imported(user);
  const { cursor = "0", removed = 0 } = progress;
  const [next, pairs] = await ctx.redis.hscan(key, cursor, "COUNT", claimsAtOnce);
  const claims = pairs.flatMap((field, nth) => {
    const [thing = "", by] = nth % 2 === 0 ? (pairs[nth + 1] ?? "").split(":") : [];
    return by === id ? [{ field, thing }] : [];
  });
  let count = 0;
  for (let start = 0; start < claims.length; start += atOnce)
    await Promise.all(
      claims.slice(start, start + atOnce).map(async ({ field, thing }) => {
        if (await remove(ctx, user, { field, thing })) count += 1;
        await ctx.redis.hdel(key, field);
      }),
    );
  return { cursor: next, removed: removed + count, ended: next === "0" };
}

/** Whether there was something to remove. */
async function remove(ctx: Ctx, user: UserId, { field, thing }: { field: string; thing: string }) {
  if (field === followClaim(userId(thing))) {
    await unfollow(ctx, { follower: user, followee: userId(thing) });
    return true;
  }
  const tweet = await findTweet(ctx, tweetId(thing));
  if (tweet === undefined || tweet.author !== user) return false;
  await removeTweet(ctx, tweet);
  return true;
}
