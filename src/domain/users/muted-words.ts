import { LRUCache } from "lru-cache";
import type { Ctx, RedisClient } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { Invalid } from "../errors.ts";
import type { UserId } from "../ids.ts";
import { toEntries } from "../page.ts";
import { type Stamp, stampAt } from "../stamp.ts";
import { cleanLine, fitsGraphemes, isBlank } from "./display-text.ts";
import type { Viewer } from "./relations.ts";
import { touchUser } from "./versions.ts";
import { foldWords, holdsWord } from "./word-match.ts";

/** Graphemes. */
export const wordLimit = 50;
export const wordsLimit = 200;

export interface MutedWord {
  /** Folded. */
  word: string;
  /** From then on it is muted no more; Infinity for never. */
  until: Stamp;
}

const viewersKept = 2000;
/** See users/relations.ts: for a version that was not written. */
const heldMilliseconds = 60_000;
const day = 24 * 60 * 60 * 1000;

interface Known {
  version: string;
  words: MutedWord[];
}

const memories = new WeakMap<RedisClient, LRUCache<UserId, Known>>();

/** Whether a text holds a word that the viewer has muted. Asked once for each version of the viewer. */
export async function mutedWordsOf(ctx: Ctx, viewer: Viewer): Promise<(text: string) => boolean> {
  const words = (await recallWords(ctx, viewer)).filter(isMutedAt(ctx.now()));
  if (words.length === 0) return () => false;
  return (text) => {
    const folded = foldWords(text);
    return words.some(({ word }) => holdsWord(folded, word));
  };
}

async function recallWords(ctx: Ctx, { id, version }: Viewer): Promise<MutedWord[]> {
  const memory = memoryOf(ctx);
  const known = memory.get(id);
  if (known?.version === version) return known.words;
  const words = await readWords(ctx, id);
  memory.set(id, { version, words });
  return words;
}

/** The words that are muted now, in the order of the alphabet; there are at most 200. */
export async function listMutedWords(ctx: Ctx, user: UserId): Promise<MutedWord[]> {
  const words = (await readWords(ctx, user)).filter(isMutedAt(ctx.now()));
  return words.toSorted((one, other) => one.word.localeCompare(other.word, "en"));
}

/**
 * Mutes a word or phrase for so many days, or for ever. Muting it again counts from now. Throws
 * Invalid, beside `word`.
 */
export async function muteWord(
  ctx: Ctx,
  user: UserId,
  { word: raw, days }: { word: string; days: number | undefined },
): Promise<void> {
  const word = foldWords(cleanLine(raw));
  if (isBlank(word)) throw new Invalid({ word: "word.empty" });
  if (!fitsGraphemes(word, wordLimit)) throw new Invalid({ word: "word.long" });
  const now = stampAt(ctx.now(), user);
  const until = days === undefined ? "+inf" : String(now + days * day * 1000);
  const isAdded = await ctx.redis.addUntil(keys.mutedWords(user), now, word, until, wordsLimit);
  if (isAdded === 0) throw new Invalid({ word: "word.many" });
  await touchUser(ctx, user);
}

/** Unmuting a word that is not muted changes nothing. */
export async function unmuteWord(ctx: Ctx, user: UserId, raw: string): Promise<void> {
  const key = keys.mutedWords(user);
  await exec(ctx.redis, [
    ["zrem", key, raw, foldWords(raw)],
    ["zremrangebyscore", key, "-inf", stampAt(ctx.now(), user)],
  ]);
  await touchUser(ctx, user);
}

function isMutedAt(milliseconds: number) {
  return ({ until }: MutedWord) => until > milliseconds * 1000;
}

async function readWords(ctx: Ctx, user: UserId): Promise<MutedWord[]> {
  const reply = await ctx.redis.zrange(keys.mutedWords(user), 0, "-1", "WITHSCORES");
  // Redis writes "inf", which is no number to JavaScript.
  return toEntries(reply).map(({ id, stamp }) => ({
    word: id,
    until: Number.isNaN(stamp) ? Infinity : stamp,
  }));
}

function memoryOf({ redis }: Ctx): LRUCache<UserId, Known> {
  const known = memories.get(redis);
  const memory = known ?? new LRUCache({ max: viewersKept, ttl: heldMilliseconds });
  memories.set(redis, memory);
  return memory;
}
