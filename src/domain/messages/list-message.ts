import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import type { Tweet } from "../tweets/tweet.ts";

/** Lists a message where its author finds it. May run twice. */
export async function listMessage(ctx: Ctx, { id, author, createdAt }: Tweet): Promise<void> {
  await ctx.redis.zadd(keys.sentMessages(author), createdAt, id);
}

/** Removes a deleted message from its lists. May run twice. */
export async function unlistMessage(
  ctx: Ctx,
  { id, author }: Pick<Tweet, "id" | "author">,
): Promise<void> {
  await ctx.redis.zrem(keys.sentMessages(author), id);
}
