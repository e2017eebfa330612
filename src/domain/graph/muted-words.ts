import type { Ctx } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import type { Reading } from "../../redis/memory.ts";
import { goodUntil, unrecordedNow } from "../scope.ts";
import { Invalid } from "../errors.ts";
import type { UserId } from "../ids.ts";
import { toEntries } from "../page.ts";
import { type Stamp, stampAt } from "../stamp.ts";
import { cleanLine, fitsGraphemes, isBlank } from "../users/display-text.ts";
import { foldSpelling, foldText, foldWords, holdsWord } from "../word-match.ts";
import type { Viewer } from "./relations.ts";

/** In graphemes. */
const wordLimit = 50;
/** Of a user. */
export const wordsLimit = 200;

export interface MutedWord {
  /** As foldWords folds it: accents and kana stay as typed, but do not count. */
  word: string;
  /** The mute ends at this stamp; Infinity for never. */
  until: Stamp;
}

const day = 24 * 60 * 60 * 1000;

/** Includes words whose mute has ended. */
const wordsReading: Reading<UserId, readonly MutedWord[]> = {
  key: keys.mutedWords,
  command: ["zrange", 0, -1, "WITHSCORES"],
  // Redis writes "inf", which JavaScript parses as NaN.
  parse: (reply) =>
    toEntries(reply as string[]).map(({ id, stamp }) => ({
      word: id,
      until: Number.isNaN(stamp) ? Infinity : stamp,
    })),
};

/** Tells whether a text contains a word that the viewer has muted. */
export async function mutedWordMatcher(
  ctx: Ctx,
  { id }: Viewer,
): Promise<(text: string) => boolean> {
  const muted = await wordsMutedNow(ctx, id);
  if (muted.length === 0) return () => false;
  const words = muted.map(({ word }) => foldSpelling(word));
  return (text) => {
    const folded = foldText(text);
    return words.some((word) => holdsWord(folded, word));
  };
}

/** The words that are muted now, in alphabetical order; at most 200. */
export async function listMutedWords(ctx: Ctx, user: UserId): Promise<MutedWord[]> {
  const words = await wordsMutedNow(ctx, user);
  return words.toSorted((one, other) => one.word.localeCompare(other.word, "en"));
}

/**
 * Mutes a word or phrase for a number of days, or for ever. Muting it again starts again from now. Throws
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
  const until = days === undefined ? "+inf" : now + days * day * 1000;
  const isAdded = await ctx.redis.addBounded(keys.mutedWords(user), now, word, until, wordsLimit);
  if (isAdded === 0) throw new Invalid({ word: "word.many" });
}

/** Does nothing for a word that is not muted. */
export async function unmuteWord(ctx: Ctx, user: UserId, raw: string): Promise<void> {
  const key = keys.mutedWords(user);
  await exec(ctx.redis, [
    ["zrem", key, raw, foldWords(raw)],
    ["zremrangebyscore", key, "-inf", stampAt(ctx.now(), user)],
  ]);
}

async function wordsMutedNow(ctx: Ctx, user: UserId): Promise<MutedWord[]> {
  const [words = []] = await ctx.memory.read(ctx.redis, wordsReading, [user]);
  const now = unrecordedNow(ctx) * 1000;
  const muted = words.filter(({ until }) => until > now);
  for (const { until } of muted) goodUntil(until / 1000);
  return muted;
}
