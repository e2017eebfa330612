import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { type Stamp, stampAt } from "../stamp.ts";
import type { User } from "../users/store.ts";
import { homeFeed } from "./feeds.ts";
import type { FeedItem } from "./types.ts";

/** Stores that a user has read home up to `stamp`. It never goes back, nor beyond now. May run twice. */
export async function markHomeRead(ctx: Ctx, user: User, stamp: Stamp): Promise<void> {
  const mark = Math.min(stamp, stampAt(ctx.now(), "999"));
  if (mark > user.homeRead) await ctx.redis.raiseField(keys.user(user.id), "home_read", mark);
}

/** The newest item of home that was read, and is still there. */
export async function lastReadAtHome(ctx: Ctx, user: User): Promise<FeedItem | undefined> {
  if (user.homeRead === 0) return undefined;
  const { items } = await homeFeed(ctx, user, { before: user.homeRead + 1, limit: 1 });
  return items[0];
}
