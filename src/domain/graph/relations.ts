import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { Blocked } from "../errors.ts";
import type { TweetId, UserId } from "../ids.ts";
import { membersAmong, membersOf } from "../members.ts";
import { type Entry, type Page, type Range, readPage } from "../page.ts";
import type { User } from "../users/store.ts";

/** The user who looks at a page. */
export type Viewer = Pick<User, "id">;

/** How the viewer relates to another user. */
export interface Relation {
  muted: boolean;
  /** Either has blocked the other. */
  blocked: boolean;
  /** The viewer has blocked the other. */
  blocking: boolean;
  /** The other has blocked the viewer. */
  blockedBy: boolean;
}

const mutes = membersOf("zset", keys.mutes);
const blocks = membersOf("zset", keys.blocks);
const blockers = membersOf("zset", keys.blockedBy);
const likes = membersOf("zset", keys.likes);
const retweets = membersOf("hash", keys.retweets);
const bookmarks = membersOf("zset", keys.bookmarks);

const noRelation: Relation = { muted: false, blocked: false, blocking: false, blockedBy: false };

/** The viewer's relation to each of `others`. */
export async function relationsTo(
  ctx: Ctx,
  viewer: Viewer | undefined,
  others: Iterable<UserId>,
): Promise<(other: UserId) => Relation> {
  if (viewer === undefined) return () => noRelation;
  const ids = [...new Set(others)];
  const [muted, blocked, blockedBy] = (await Promise.all(
    [mutes, blocks, blockers].map((list) => membersAmong(ctx, list, viewer.id, ids)),
  )) as [Set<UserId>, Set<UserId>, Set<UserId>];
  return (other) => ({
    muted: muted.has(other),
    blocked: blocked.has(other) || blockedBy.has(other),
    blocking: blocked.has(other),
    blockedBy: blockedBy.has(other),
  });
}

/** For lists of `owner`. Throws Blocked if the owner has blocked the viewer. */
export async function requireNotBlockedBy(
  ctx: Ctx,
  viewer: Viewer | undefined,
  owner: UserId,
): Promise<void> {
  const { blockedBy } = (await relationsTo(ctx, viewer, [owner]))(owner);
  if (blockedBy) throw new Blocked("a block");
}

/** What the viewer did with a tweet. */
export interface Reaction {
  liked: boolean;
  retweeted: boolean;
}

const noReaction: Reaction = { liked: false, retweeted: false };

export async function reactionsTo(
  ctx: Ctx,
  viewer: Viewer | undefined,
  tweets: Iterable<TweetId>,
): Promise<(tweet: TweetId) => Reaction> {
  if (viewer === undefined) return () => noReaction;
  const ids = [...new Set(tweets)];
  const [liked, retweeted] = await Promise.all([
    membersAmong(ctx, likes, viewer.id, ids),
    membersAmong(ctx, retweets, viewer.id, ids),
  ]);
  return (tweet) => ({ liked: liked.has(tweet), retweeted: retweeted.has(tweet) });
}

/** Whether the viewer has bookmarked each tweet. */
export async function bookmarksAmong(
  ctx: Ctx,
  viewer: Viewer | undefined,
  tweets: Iterable<TweetId>,
): Promise<(tweet: TweetId) => boolean> {
  if (viewer === undefined) return () => false;
  const kept = await membersAmong(ctx, bookmarks, viewer.id, tweets);
  return (tweet) => kept.has(tweet);
}

/** The users muted by `user`, newest first. */
export async function mutesPage(ctx: Ctx, user: UserId, range: Range): Promise<Page<Entry>> {
  return await readPage(ctx.redis, keys.mutes(user), range);
}
