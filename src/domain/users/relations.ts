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
  reactions: Map<TweetId, Reaction>;
  bookmarks: Map<TweetId, boolean>;
}

const viewersKept = 2000;
/** A version that was not written, because a process ended just then, is made up for after this time. */
const heldMilliseconds = 60_000;
/** Of each viewer and kind; more than a page names, so that 2,000 viewers cannot fill the memory. */
const factsKept = 1000;

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
  const facts = await learn(relations, others, async (unknown) => {
    const [mutes, blocks, blockedBy] = (await exec(ctx.redis, [
      ["zmscore", keys.mutes(viewer.id), ...unknown],
      ["zmscore", keys.blocks(viewer.id), ...unknown],
      ["zmscore", keys.blockedBy(viewer.id), ...unknown],
    ])) as Scores[];
    return unknown.map((_, index) => {
      const blocking = isIn(blocks, index);
      const isBlockedBy = isIn(blockedBy, index);
      const blocked = blocking || isBlockedBy;
      return { muted: isIn(mutes, index), blocked, blocking, blockedBy: isBlockedBy };
    });
  });
  return (other) => facts.get(other) ?? strangers;
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
  const { reactions } = knowledgeOf(ctx, viewer);
  const facts = await learn(reactions, tweets, async (unknown) => {
    const [likes, retweets] = (await exec(ctx.redis, [
      ["zmscore", keys.likes(viewer.id), ...unknown],
      ["hmget", keys.retweets(viewer.id), ...unknown],
    ])) as Scores[];
    return unknown.map((_, index) => ({
      liked: isIn(likes, index),
      retweeted: isIn(retweets, index),
    }));
  });
  return (tweet) => facts.get(tweet) ?? noReaction;
}

/** Whether the viewer has bookmarked each tweet; asked once for each version of the viewer. */
export async function bookmarksAmong(
  ctx: Ctx,
  viewer: Viewer | undefined,
  tweets: Iterable<TweetId>,
): Promise<(tweet: TweetId) => boolean> {
  if (viewer === undefined) return () => false;
  const facts = await learn(knowledgeOf(ctx, viewer).bookmarks, tweets, async (unknown) => {
    const stamps = await ctx.redis.zmscore(keys.bookmarks(viewer.id), ...unknown);
    return stamps.map((stamp) => stamp !== null);
  });
  return (tweet) => facts.get(tweet) ?? false;
}

/** A reply of ZMSCORE or HMGET. */
type Scores = (string | null)[];

function isIn(scores: Scores | undefined, index: number): boolean {
  return (scores?.[index] ?? null) !== null;
}

/**
 * The facts about each of `asked`: those that are known, and those that `ask` tells of the others,
 * which are known from then on. The answer is the caller's own: what is known may be forgotten at any
 * moment to make room.
 */
async function learn<Id, Fact>(
  known: Map<Id, Fact>,
  asked: Iterable<Id>,
  ask: (unknown: Id[]) => Promise<Fact[]>,
): Promise<Map<Id, Fact>> {
  const facts = new Map<Id, Fact>();
  const unknown: Id[] = [];
  for (const id of new Set(asked)) {
    const fact = known.get(id);
    if (fact === undefined) unknown.push(id);
    else facts.set(id, fact);
  }
  if (unknown.length === 0) return facts;
  const answers = await ask(unknown);
  if (known.size + unknown.length > factsKept) known.clear();
  for (const [index, id] of unknown.entries()) {
    const fact = answers[index];
    if (fact === undefined) continue;
    facts.set(id, fact);
    known.set(id, fact);
  }
  return facts;
}

function knowledgeOf({ redis }: Ctx, { id, version }: Viewer): Knowledge {
  const memory =
    memories.get(redis) ??
    new LRUCache<UserId, Knowledge>({ max: viewersKept, ttl: heldMilliseconds });
  memories.set(redis, memory);
  const known = memory.get(id);
  if (known?.version === version) return known;
  const fresh = { version, relations: new Map(), reactions: new Map(), bookmarks: new Map() };
  memory.set(id, fresh);
  return fresh;
}
