import { createHash } from "node:crypto";
import type { Ctx } from "../../context.ts";
import { type Command, exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { countFollowers } from "../follows/store.ts";
import { type TweetId, tweetId, type UserId } from "../ids.ts";
import type { Stamp } from "../stamp.ts";
import { placeBig } from "../timelines/big.ts";
import { placeTweet } from "../timelines/store.ts";
import { indexTweet } from "../tweets/indexing.ts";
import { createTweet, readTweets } from "../tweets/store.ts";
import type { Tweet } from "../tweets/tweet.ts";

/** A tweet as it was written somewhere else. */
export interface Original {
  text: string;
  createdAt: Stamp;
}

/** What became of it: it was brought here by this import, or was here before, or was deleted here. */
export type Outcome = "imported" | "known" | "deleted";

/** An original and the tweet that stands for it here. */
interface Claimed extends Original {
  id: TweetId;
  /** Of the import that claimed it. */
  by: string;
}

/**
 * Writes tweets with their original dates into their author's timeline, each once: a claim, made of
 * date and text, says which tweet stands for an original, so this may end anywhere and run again, and
 * at the same time as another. Nobody is told; the home timelines are brought up to date in the end.
 */
export async function importTweets(
  ctx: Ctx,
  author: UserId,
  { originals, by }: { originals: Original[]; by: string },
): Promise<Outcome[]> {
  if (originals.length === 0) return [];
  const claims = await claimAll(ctx, author, originals, by);
  const isBig = (await countFollowers(ctx, author)) > ctx.config.bigAccountFollowers;
  return await Promise.all(
    claims.map(async (claim) => (claim ? await bring(ctx, author, claim, { by, isBig }) : "known")),
  );
}

async function bring(
  ctx: Ctx,
  author: UserId,
  { id, text, createdAt, by }: Claimed,
  run: { by: string; isBig: boolean },
): Promise<Outcome> {
  const tweet: Tweet = { id, author, text, createdAt };
  const isNew = await createTweet(ctx, tweet);
  if (!isNew && (await readTweets(ctx, [id]))[0] === undefined) return "deleted";
  const placed = { tweet: id, author, stamp: createdAt };
  await placeTweet(ctx, placed);
  if (run.isBig) await placeBig(ctx, placed);
  await indexTweet(ctx, tweet);
  return by === run.by ? "imported" : "known";
}

/** Undefined for what stands in the author's timeline without a claim: they wrote it here. */
async function claimAll(
  ctx: Ctx,
  author: UserId,
  originals: Original[],
  by: string,
): Promise<(Claimed | undefined)[]> {
  const key = keys.imported(author);
  const digests = originals.map(digestOf);
  const held = await ctx.redis.hmget(key, ...digests);
  const here = await writtenHere(ctx, author, originals);
  const free = [...digests.keys()].filter((index) => held[index] === null && !here[index]);
  if (free.length > 0) {
    const last = await ctx.redis.incrby(keys.tweetIds, free.length);
    const commands = free.map((index, nth): Command => {
      const id = last - free.length + 1 + nth;
      return ["hsetnx", key, digests[index] ?? "", `${id}:${by}`];
    });
    await exec(ctx.redis, [...commands, ["expire", key, lifeSeconds(ctx)]]);
  }
  const claims = await ctx.redis.hmget(key, ...digests);
  return originals.map((original, index) => {
    const [id, owner] = claims[index]?.split(":") ?? [];
    return id === undefined ? undefined : { ...original, id: tweetId(id), by: owner ?? "" };
  });
}

/** Which of them the author's timeline has at that very moment, word for word. */
async function writtenHere(ctx: Ctx, author: UserId, originals: Original[]): Promise<boolean[]> {
  const key = keys.userTimeline(author);
  const found = (await exec(
    ctx.redis,
    originals.map(({ createdAt }) => ["zrange", key, createdAt, createdAt, "BYSCORE"]),
  )) as string[][];
  const tweets = await readTweets(ctx, found.flat().map(tweetId));
  const texts = new Set(tweets.map((tweet) => tweet && digestOf(tweet)));
  return originals.map((original) => texts.has(digestOf(original)));
}

function digestOf({ text, createdAt }: Original): string {
  return createHash("sha256").update(`${createdAt}\0${text}`).digest("base64url").slice(0, 22);
}

/** As long as the tombstone of a tweet that was deleted here: what is imported again meanwhile stays deleted. */
function lifeSeconds(ctx: Ctx): number {
  return ctx.config.timelineTtlDays * 24 * 60 * 60;
}
