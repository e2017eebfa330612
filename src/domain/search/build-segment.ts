import { randomBytes } from "node:crypto";
import type { Ctx } from "../../context.ts";
import { inBatches } from "../concurrency-limit.ts";
import { exec, type Sent } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { compactValueBytes } from "../../redis/servers.ts";
import { type TweetId, tweetId, stampAt } from "../ids.ts";
import { readTweets } from "../tweets/store.ts";
import type { Tweet } from "../tweets/tweet.ts";
import { indexedAs } from "./index-tweet.ts";
import { packAscending, packNumbers } from "./numbers.ts";
import { announce, type Segment } from "./segments.ts";

/** Tweets whose texts are read at a time: some 20 ms of a processor for Japanese ones. */
const textsAtOnce = 100;
/** Terms in a hash, about: Redis keeps a hash of at most 512 fields compact, if all of them are short. */
const termsInBucket = 300;
/** Bytes of a term that any Redis keeps compact. */
const termBytes = 64;
/** Max bytes of a list among the short ones. Measured: 512 instead of 256 would save 1 % of the search. */
const listBytes = 256;
/** Tweets in a block of the order. */
export const blockSize = 256;
/** Keys, or lists of the long ones, that are written at a time. */
const writtenAtOnce = 20;
/** Field of the order with the stamps with which the blocks begin. */
export const beginnings = "first";

/** What texts hold, by the index of their tweets. */
interface Content {
  /** In the order of their ids. */
  tweets: Pick<Tweet, "id" | "createdAt" | "editedAt">[];
  indexes: Map<string, number[]>;
}

/** The hash of a segment that has a term, if it has few tweets. */
export function bucketOf({ buckets }: Pick<Segment, "buckets">, term: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < term.length; at += 1)
    hash = Math.imul(hash ^ term.charCodeAt(at), 0x01000193) >>> 0;
  return hash % buckets;
}

/** Whether a term is too long for a compact hash. */
export function isLongTerm(term: string): boolean {
  return term.length * 3 > termBytes && Buffer.byteLength(term) > termBytes;
}

/**
 * Writes the keys of a segment, made of the texts as they are now; no search reads them before `commit`. `prepare` gets the
 * tweets before.
 */
export async function buildSegment(
  ctx: Ctx,
  { first, end, level }: Pick<Segment, "first" | "end" | "level">,
  {
    prepare = async () => {},
    alive = () => {},
  }: { prepare?: (ids: TweetId[]) => Promise<void>; alive?: () => void } = {},
): Promise<Segment> {
  const built = stampAt(ctx.now(), "0");
  const content = await readContent(ctx, { first, end }, alive);
  const { tweets, indexes } = content;
  await prepare(tweets.map(({ id }) => id));
  const order = tweets.toSorted(
    (one, other) => one.createdAt - other.createdAt || Number(one.id) - Number(other.id),
  );
  const segment: Segment = {
    first,
    end,
    level,
    token: randomBytes(6).toString("base64url"),
    buckets: Math.ceil(indexes.size / termsInBucket),
    oldest: order[0]?.createdAt ?? 0,
    newest: order.at(-1)?.createdAt ?? 0,
    built,
    swept: false,
  };
  await announce(ctx, segment);
  alive();
  await writeOrder(ctx, segment, order);
  const positions = new Map(order.map((tweet, position) => [tweet, position]));
  const positionOf = tweets.map((tweet) => positions.get(tweet) ?? 0);
  const isOrdered = positionOf.every((position, at) => position === at);
  await writeTerms(ctx, segment, indexes, (some) =>
    isOrdered ? some : some.map((at) => positionOf[at] ?? 0).toSorted((one, other) => one - other),
  );
  return segment;
}

/** The words of the tweets with these ids, of those that exist and have any. */
export async function readContent(
  ctx: Ctx,
  ids: Pick<Segment, "first" | "end">,
  alive: () => void = () => {},
): Promise<Content> {
  const content: Content = { tweets: [], indexes: new Map() };
  for (let from = ids.first; from < ids.end; from += textsAtOnce) {
    const count = Math.min(textsAtOnce, ids.end - from);
    const some = Array.from({ length: count }, (_, nth) => tweetId(from + nth));
    for (const tweet of await readTweets(ctx, some)) if (tweet) addTweet(content, tweet);
    alive();
  }
  return content;
}

function addTweet({ tweets, indexes }: Content, tweet: Tweet): void {
  const { terms } = indexedAs(tweet);
  if (terms.length === 0) return;
  for (const term of terms) {
    const some = indexes.get(term);
    if (some === undefined) indexes.set(term, [tweets.length]);
    else some.push(tweets.length);
  }
  const { id, createdAt, editedAt } = tweet;
  tweets.push({ id, createdAt, editedAt });
}

/** A block has the first stamp and id, then the distance of each next one: ids may go back, so theirs has a sign. */
async function writeOrder(ctx: Ctx, { token }: Segment, order: Content["tweets"]): Promise<void> {
  const key = keys.sealedOrder(token);
  const firsts: number[] = [];
  const commands: Sent[] = [];
  for (const block of inBatches(order, blockSize)) {
    const numbers = block.flatMap(({ id, createdAt }, at) => {
      const before = block[at - 1] ?? { id: 0, createdAt: 0 };
      const distance = Number(id) - Number(before.id);
      return [createdAt - before.createdAt, distance < 0 ? -2 * distance - 1 : 2 * distance];
    });
    commands.push(["hset", key, String(firsts.length), packNumbers(numbers)]);
    firsts.push(block[0]?.createdAt ?? 0);
  }
  if (commands.length === 0) return;
  await exec(ctx.redis, [...commands, ["hset", key, beginnings, packAscending(firsts)]]);
}

/** A term with many tweets has an empty value in its hash, and its positions among the long ones. */
async function writeTerms(
  ctx: Ctx,
  segment: Segment,
  indexes: Content["indexes"],
  positionsOf: (indexes: number[]) => number[],
): Promise<void> {
  const { token, buckets } = segment;
  const most = Math.min(listBytes, await compactValueBytes(ctx.redis));
  const terms: string[][] = Array.from({ length: buckets }, () => []);
  for (const term of indexes.keys()) terms[bucketOf(segment, term)]?.push(term);
  let commands: Sent[] = [];
  for (const [bucket, some] of terms.entries()) {
    const fields: (string | Buffer)[] = [];
    for (const term of some) {
      const bytes = packAscending(positionsOf(indexes.get(term) ?? []));
      const isLong = isLongTerm(term) || bytes.length > most;
      if (isLong) commands.push(["hset", keys.sealedLong(token), term, bytes]);
      if (!isLongTerm(term)) fields.push(term, isLong ? "" : bytes);
    }
    if (fields.length > 0) commands.push(["hset", keys.sealedTerms(token, bucket), ...fields]);
    if (commands.length < writtenAtOnce && bucket + 1 < buckets) continue;
    await exec(ctx.redis, commands);
    commands = [];
  }
}
