import { LRUCache } from "lru-cache";
import type { Ctx, RedisClient } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { Blocked } from "../errors.ts";
import type { TweetId, UserId } from "../ids.ts";
import type { User } from "./store.ts";

/** Whoever looks: `version` says which of what a process remembers about them still holds. */
export type Viewer = Pick<User, "id" | "version">;

/** How somebody stands to somebody else. */
export interface Relation {
  muted: boolean;
  /** Either of the two blocked the other. */
  blocked: boolean;
  /** The viewer blocked them. */
  blocking: boolean;
  /** They blocked the viewer. */
  blockedBy: boolean;
}

/** What a process knows about one version of a viewer. */
interface Knowledge {
  version: string;
  relations: Map<UserId, Relation>;
  likes: Map<TweetId, boolean>;
  retweets: Map<TweetId, boolean>;
}

const viewersKept = 2000;
/** A version that was not written, because a process ended just then, is made up for after this time. */
const heldMilliseconds = 60_000;
/** Of each viewer; more than a few pages name. */
const factsKept = 5000;

const memories = new WeakMap<RedisClient, LRUCache<UserId, Knowledge>>();
const strangers: Relation = { muted: false, blocked: false, blocking: false, blockedBy: false };

/** How the viewer stands to each of `others`; asked once for each version of the viewer. */
export async function relationsTo(
  ctx: Ctx,
  viewer: Viewer | undefined,
  others: Iterable<UserId>,
): Promise<(other: UserId) => Relation> {
  if (viewer === undefined) return () => strangers;
  const { relations } = knowledgeOf(ctx, viewer);
  const unknown = [...new Set(others)].filter((other) => !relations.has(other));
  if (unknown.length > 0) {
    const [mutes, blocks, blockedBy] = (await exec(ctx.redis, [
      ["zmscore", keys.mutes(viewer.id), ...unknown],
      ["zmscore", keys.blocks(viewer.id), ...unknown],
      ["zmscore", keys.blockedBy(viewer.id), ...unknown],
    ])) as (string | null)[][];
    makeRoom(relations);
    for (const [index, other] of unknown.entries()) {
      const isIn = (list: (string | null)[] | undefined) => (list?.[index] ?? null) !== null;
      const [blocking, isBlockedBy] = [isIn(blocks), isIn(blockedBy)];
      const blocked = blocking || isBlockedBy;
      relations.set(other, { muted: isIn(mutes), blocked, blocking, blockedBy: isBlockedBy });
    }
  }
  return (other) => relations.get(other) ?? strangers;
}

/** For lists that somebody keeps. Throws Blocked if they have blocked the viewer. */
export async function requireNotBlockedBy(
  ctx: Ctx,
  viewer: Viewer | undefined,
  owner: UserId,
): Promise<void> {
  const { blockedBy } = (await relationsTo(ctx, viewer, [owner]))(owner);
  if (blockedBy) throw new Blocked("a block");
}

/** What the viewer did with each tweet. */
export interface Reaction {
  liked: boolean;
  retweeted: boolean;
}

const noReaction: Reaction = { liked: false, retweeted: false };

/** Asked once for each version of the viewer. */
export async function reactionsTo(
  ctx: Ctx,
  viewer: Viewer | undefined,
  tweets: Iterable<TweetId>,
): Promise<(tweet: TweetId) => Reaction> {
  if (viewer === undefined) return () => noReaction;
  const { likes, retweets } = knowledgeOf(ctx, viewer);
  const unknown = [...new Set(tweets)].filter((tweet) => !likes.has(tweet));
  if (unknown.length > 0) {
    const [liked, retweeted] = (await exec(ctx.redis, [
      ["zmscore", keys.likes(viewer.id), ...unknown],
      ["hmget", keys.retweets(viewer.id), ...unknown],
    ])) as (string | null)[][];
    makeRoom(likes);
    makeRoom(retweets);
    for (const [index, tweet] of unknown.entries()) {
      likes.set(tweet, (liked?.[index] ?? null) !== null);
      retweets.set(tweet, (retweeted?.[index] ?? null) !== null);
    }
  }
  return (tweet) => ({
    liked: likes.get(tweet) === true,
    retweeted: retweets.get(tweet) === true,
  });
}

function makeRoom(facts: Map<unknown, unknown>): void {
  if (facts.size > factsKept) facts.clear();
}

function knowledgeOf({ redis }: Ctx, { id, version }: Viewer): Knowledge {
  const memory =
    memories.get(redis) ??
    new LRUCache<UserId, Knowledge>({ max: viewersKept, ttl: heldMilliseconds });
  memories.set(redis, memory);
  const known = memory.get(id);
  if (known?.version === version) return known;
  const fresh = { version, relations: new Map(), likes: new Map(), retweets: new Map() };
  memory.set(id, fresh);
  return fresh;
}
