import { createHash } from "node:crypto";
import type { Ctx } from "../../context.ts";
import { inBatches } from "../concurrency-limit.ts";
import { type Command, exec, execEach } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { claimPictures } from "../actions/attach-pictures.ts";
import { limitsBelow } from "../actions/who-may-reply.ts";
import { charge, isSpent, type Payer } from "../users/payer.ts";
import { countFollowers } from "../graph/follows.ts";
import { type TweetId, tweetId, type UserId, type Stamp } from "../ids.ts";
import { addToIndex } from "../search/index-tweet.ts";
import { addToBigTimeline } from "../timelines/big.ts";
import { timelineSeconds } from "../timelines/home-store.ts";
import { addToTimelines } from "../timelines/store.ts";
import { listReply } from "../tweets/reactions.ts";
import { createTweet, findTweet, readTweets, takeFreeIds } from "../tweets/store.ts";
import type { Tweet } from "../tweets/tweet.ts";
import { earlierTexts } from "../tweets/versions.ts";
import { addPictures, convertOriginals, type ImportPicture } from "./import-pictures.ts";
import type { Alive, Outcome } from "./import-run.ts";

/** A tweet from another site. `editedAt`: the mark of an edit elsewhere; the earlier versions stay there. */
export interface Original extends Pick<
  Tweet,
  | ("text" | "warning" | "language" | "createdAt" | "sensitive" | "editedAt")
  | ("audience" | "repliesFrom" | "poll")
> {
  pictures?: readonly ImportPicture[] | undefined;
  /** Digest of an original of the same author that it answers. */
  answers?: string | undefined;
}

/** What happened to it. */
interface Written {
  /**
   * Skipped: "deleted" here before; too many at its "moment"; over the "budget" of the day; "bare" of text and of
   * readable pictures.
   */
  outcome: Outcome;
  /** False if search may not find it, as its author's budget of the day is spent. */
  isListed: boolean;
}

/**
 * Max tweets of one author with one stamp. Pages are cut between stamps, so tweets that share one are read and
 * shown together; real tweets never share one so often.
 */
const momentBound = 10;
/** Tweets written at the same time: each may have 560 terms, and Redis must answer within its timeout. */
const atOnce = 50;

/** An original and its tweet on this site. */
interface Claimed extends Original {
  id: TweetId;
  /** Id of the import that claimed it. */
  by: string;
}

/**
 * Writes tweets with their original dates into their author's timeline, each once. A claim, made of date and text,
 * names the tweet of an original, so this may be interrupted, run again, and run at the same time as another. They do
 * not appear in the global timeline, trends or notifications; home timelines are updated at the end.
 */
export async function importTweets(
  ctx: Ctx,
  payer: Payer,
  { originals, by, alive }: { originals: Original[]; by: string } & Alive,
): Promise<Written[]> {
  if (originals.length === 0) return [];
  const { user: author } = payer;
  const claims = await claimAll(ctx, payer, originals, by);
  const isBig = (await countFollowers(ctx, author)) > ctx.config.bigAccountFollowers;
  const answered = await findAnswered(ctx, author, originals);
  const all: Written[] = [];
  for (const some of inBatches(claims, atOnce)) {
    await alive();
    const written = some.map(async (claim) =>
      typeof claim === "string"
        ? as(claim)
        : await writeClaimed(ctx, payer, claim, { by, isBig, answered, alive }),
    );
    all.push(...(await Promise.all(written)));
    // Once all answered tweets are there, which keep the number of their replies.
    for (const claim of some)
      if (typeof claim !== "string" && answered.has(claim.answers ?? "")) {
        const tweet = await findTweet(ctx, claim.id);
        if (tweet !== undefined) await listReply(ctx, tweet);
      }
  }
  return all;
}

/** The tweets that some originals answer, by their digests. */
async function findAnswered(ctx: Ctx, author: UserId, originals: readonly Original[]) {
  const digests = [...new Set(originals.flatMap(({ answers }) => answers ?? []))];
  const claims =
    digests.length === 0 ? [] : await ctx.redis.hmget(keys.imported(author), ...digests);
  const ids = new Map<string, TweetId>();
  for (const [nth, digest] of digests.entries()) {
    const [id] = claims[nth]?.split(":") ?? [];
    if (id !== undefined) ids.set(digest, tweetId(id));
  }
  return ids;
}

async function writeClaimed(
  ctx: Ctx,
  payer: Payer,
  claimed: Claimed,
  run: { by: string; isBig: boolean; answered: ReadonlyMap<string, TweetId> } & Alive,
): Promise<Written> {
  const { by, pictures: wanted, sensitive = false, answers = "", ...written } = claimed;
  const { id, text, createdAt } = written;
  const { user: author } = payer;
  const [before] = await readTweets(ctx, [id]);
  const isComplete = before !== undefined && (before.pictures ?? []).length > 0;
  const pictures =
    wanted === undefined || isComplete ? [] : await convertOriginals(ctx, payer, wanted, run.alive);
  if (before === undefined && text === "" && pictures.length === 0) return as("bare");
  if (pictures.length > 0 && before === undefined)
    await claimPictures(ctx, author, { tweet: id, pictures });
  const parent = run.answered.get(answers);
  const replyTo = parent && { tweet: parent, author };
  // An answered tweet that is still being written has but its own limit.
  const above = parent && (await findTweet(ctx, parent));
  const limitsOf = above && limitsBelow(above);
  const tweet: Tweet = { ...written, author, pictures, sensitive, replyTo, limitsOf };
  const isNew = await createTweet(ctx, tweet);
  if (!isNew && (await readTweets(ctx, [id]))[0] === undefined) return as("deleted");
  // An import can undo each tweet that it makes, also one that an earlier import claimed.
  const [key, field] = [keys.imported(author), digestOf(claimed)];
  if (isNew) await ctx.redis.updateIf(key, field, `${id}:${by}`, field, `${id}:${run.by}`);
  if (!isNew) await addPictures(ctx, author, { tweet: id, pictures, sensitive });
  const placed = { tweet: id, author, stamp: createdAt, unlisted: true };
  await addToTimelines(ctx, placed);
  if (run.isBig) await addToBigTimeline(ctx, placed);
  const isListed = await addToIndex(ctx, before ?? tweet);
  return { outcome: isNew || by === run.by ? "imported" : "known", isListed };
}

function as(outcome: Outcome): Written {
  return { outcome, isListed: true };
}

/** "known" if the author's timeline has it without a claim: it was written on this site. */
async function claimAll(ctx: Ctx, payer: Payer, originals: Original[], by: string) {
  const { user: author } = payer;
  const key = keys.imported(author);
  const digests = originals.map(digestOf);
  const held = await ctx.redis.hmget(key, ...digests);
  const here = await writtenAt(ctx, author, new Set(originals.map((item) => item.createdAt)));
  const free = freeAmong(originals, { digests, held, here });
  const isWithin = free.length === 0 || !(await isSpent(ctx, "importedTweet", payer));
  if (free.length > 0 && isWithin) {
    const ids = await takeFreeIds(ctx, free.length);
    const writes = free.map((digest, nth): Command => ["hsetnx", key, digest, `${ids[nth]}:${by}`]);
    // As long as the tombstone of a tweet that was deleted here: importing it again does not restore it.
    const replies = await exec(ctx.redis, [...writes, ["expire", key, timelineSeconds(ctx)]]);
    const points = replies.slice(0, -1).filter((reply) => reply === 1).length;
    await charge(ctx, "importedTweet", payer, points);
  }
  const claims = await ctx.redis.hmget(key, ...digests);
  return originals.map((original, index) => {
    const [id, owner = ""] = claims[index]?.split(":") ?? [];
    if (id !== undefined) return { ...original, id: tweetId(id), by: owner };
    if (here.digests.has(digests[index] ?? "")) return "known";
    return isWithin ? "moment" : "budget";
  });
}

/** The author's tweets at some stamps, at most `momentBound` for each: their ids, and all their digests. */
type Present = Awaited<ReturnType<typeof writtenAt>>;

async function writtenAt(ctx: Ctx, author: UserId, moments: Set<Stamp>) {
  const key = keys.userTimeline(author);
  const few = ["BYSCORE", "LIMIT", 0, momentBound] as const;
  const stamps = [...moments];
  const replies = await execEach(ctx.redis, stamps, (at) => ["zrange", key, at, at, ...few]);
  const ids = replies as string[][];
  const taken = new Map(stamps.map((stamp, nth) => [stamp, new Set(ids[nth])]));
  const tweets = await readTweets(ctx, ids.flat().map(tweetId));
  const present = tweets.filter((tweet) => tweet !== undefined);
  // A file from before an edit has the earlier text.
  const earlier = await earlierTexts(ctx, present);
  const texts = earlier.map(({ tweet: { createdAt }, text }) => ({ text, createdAt }));
  return { taken, digests: new Set([...present, ...texts].map(digestOf)) };
}

/**
 * The digests to claim: those without a claim that were not written here, while there is room at their stamp.
 * Claimed tweets count, written or not.
 */
function freeAmong(
  originals: Original[],
  { digests, held, here }: { digests: string[]; held: (string | null)[]; here: Present },
): string[] {
  for (const [index, { createdAt }] of originals.entries()) {
    const id = held[index]?.split(":")[0];
    if (id !== undefined) here.taken.get(createdAt)?.add(id);
  }
  const free = new Set<string>();
  for (const [index, { createdAt }] of originals.entries()) {
    const digest = digests[index] ?? "";
    const atMoment = here.taken.get(createdAt);
    const isKnown = typeof held[index] === "string" || here.digests.has(digest) || free.has(digest);
    if (isKnown || atMoment === undefined || atMoment.size >= momentBound) continue;
    atMoment.add(digest);
    free.add(digest);
  }
  return [...free];
}

export function digestOf({ text, createdAt }: Pick<Original, "text" | "createdAt">): string {
  return createHash("sha256").update(`${createdAt}\0${text}`).digest("base64url").slice(0, 22);
}
