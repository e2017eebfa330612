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
import type { Viewer } from "./relations.ts";

/** In graphemes. */
const wordLimit = 50;
/** Of a user. */
export const wordsLimit = 200;

/** Characters inside words. Joiners are included: Persian uses them in words. */
const wordLetter = /[\p{L}\p{M}\p{N}_\u200C\u200D]/u;
/** Scripts without spaces between words, or, like Korean, with particles attached to words. */
const unspaced =
  /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Bopo}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}]/u;
/** Characters that continue an @name, and characters before "@" that make it no name. */
const nameLetter = /[a-z0-9_@]/;
const beforeName = /[a-z0-9_@/.]/;
const beforeTag = /[\p{L}\p{M}\p{N}_&#/]/u;
/** Variation selectors: they change how a character is drawn, not which one it is. */
const drawing = /[\uFE0E\uFE0F]/g;

export interface MutedWord {
  /** Folded. */
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
  const words = await wordsMutedNow(ctx, id);
  if (words.length === 0) return () => false;
  return (text) => {
    const folded = foldWords(text);
    return words.some(({ word }) => holdsWord(folded, word));
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

/**
 * The form in which words and texts are compared. Case, width, kind of apostrophe, form of a sigma and amount
 * of white space make no difference.
 */
export function foldWords(text: string): string {
  return text
    .replaceAll(drawing, "")
    .normalize("NFKC")
    .toLowerCase()
    .normalize("NFKC")
    .replaceAll(/[\u2018\u2019\u02BC]/g, "'")
    .replaceAll("ς", "σ")
    .replaceAll(/\s+/g, " ")
    .trim();
}

/**
 * Whether `word` is in `text`, both folded. In scripts with spaces it must be a whole word: "cat" is not in
 * "concatenate". "#tag" and "@name" match only the whole tag or name. Linear in the text.
 */
export function holdsWord(text: string, word: string): boolean {
  let at = text.indexOf(word);
  if (at === -1) return false;
  const [mayPrecede, mayFollow] = edgesOf(word);
  for (; at !== -1; at = text.indexOf(word, at + 1))
    if (mayPrecede(characterBefore(text, at)) && mayFollow(characterAfter(text, at + word.length)))
      return true;
  return false;
}

type EdgeTest = (neighbour: string) => boolean;

const anything: EdgeTest = () => true;
const noLetter: EdgeTest = (neighbour) => !isSpacedLetter(neighbour);

/** Tests for the characters before and after a match. */
function edgesOf(word: string): [EdgeTest, EdgeTest] {
  if (/^#./u.test(word)) {
    const endsTag: EdgeTest = (next) => !wordLetter.test(next);
    return [(previous) => !beforeTag.test(previous), isWholeTag(word) ? endsTag : endOf(word)];
  }
  if (/^@./u.test(word)) {
    const endsName: EdgeTest = (next) => !nameLetter.test(next);
    return [(previous) => !beforeName.test(previous), isWholeName(word) ? endsName : endOf(word)];
  }
  return [isSpacedLetter(characterAfter(word, 0)) ? noLetter : anything, endOf(word)];
}

function endOf(word: string): EdgeTest {
  return isSpacedLetter(characterBefore(word, word.length)) ? noLetter : anything;
}

const isWholeTag = (word: string) => /^#[\p{L}\p{M}\p{N}_\u200C\u200D]+$/u.test(word);
const isWholeName = (word: string) => /^@[a-z0-9_]+$/.test(word);

function isSpacedLetter(character: string): boolean {
  return wordLetter.test(character) && !unspaced.test(character);
}

/** The character that ends at `index`; empty at the start. */
function characterBefore(text: string, index: number): string {
  const isPair = /[\uDC00-\uDFFF]/.test(text.charAt(index - 1));
  return text.slice(Math.max(0, index - (isPair ? 2 : 1)), index);
}

/** The character that begins at `index`; empty at the end. */
function characterAfter(text: string, index: number): string {
  const code = text.codePointAt(index);
  return code === undefined ? "" : String.fromCodePoint(code);
}
