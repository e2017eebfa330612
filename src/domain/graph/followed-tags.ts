import type { Ctx } from "../../context.ts";
import { keys, mostOf } from "../../redis/keys.ts";
import type { Reading } from "../../redis/memory.ts";
import { Invalid } from "../errors.ts";
import type { UserId } from "../ids.ts";
import { type Entry, type Page, type Range, readPage } from "../page.ts";
import { stampAt } from "../stamp.ts";

/** Max hashtags that a user follows: each page of home reads the list of each. */
export const tagsAtMost = mostOf("followedTags");

const tagsReading: Reading<UserId, readonly string[]> = {
  key: keys.followedTags,
  command: ["zrange", 0, -1, "REV"],
  parse: (reply) => reply as string[],
};

/** All hashtags (folded) that a user follows, newest first. */
export async function followedTags(ctx: Ctx, user: UserId): Promise<readonly string[]> {
  const [tags = []] = await ctx.memory.read(ctx.redis, tagsReading, [user]);
  return tags;
}

/** A part of them, with the stamps of their follows. */
export async function followedTagsPage(ctx: Ctx, user: UserId, range: Range): Promise<Page<Entry>> {
  return await readPage(ctx.redis, keys.followedTags(user), range);
}

/** Tells which hashtags (folded) the user follows; undefined: signed out. */
export async function isFollowedBy(
  ctx: Ctx,
  user: UserId | undefined,
): Promise<(tag: string) => boolean> {
  const tags = new Set(user === undefined ? [] : await followedTags(ctx, user));
  return (tag) => tags.has(tag);
}

/** Tweets with the hashtag (folded) are at home from then on. Throws Invalid for one too many. */
export async function followTag(ctx: Ctx, user: UserId, tag: string): Promise<void> {
  const stamp = stampAt(ctx.now(), user);
  const isAdded = await ctx.redis.addBounded(keys.followedTags(user), 0, tag, stamp, tagsAtMost);
  if (isAdded === 0) throw new Invalid({ form: "tag.many" });
}

/** Does nothing for a tag that is not followed. */
export async function unfollowTag(ctx: Ctx, user: UserId, tag: string): Promise<void> {
  await ctx.redis.zrem(keys.followedTags(user), tag);
}
