import type { Ctx } from "../../context.ts";
import { type JsonRecord, recordsAt, recordsIn, untilFirst } from "../../redis/json-records.ts";
import { keys, mostOf } from "../../redis/keys.ts";
import { Invalid, required } from "../errors.ts";
import { formNumber } from "../secrets.ts";
import { type FilterId, parseFilterId, type UserId, type Stamp, stampAt } from "../ids.ts";
import { readerOf } from "../members.ts";
import { expiresAt, withoutCachingNow } from "../scope.ts";
import { cleanLine, fitsGraphemes, isBlank } from "../users/display-text.ts";
import { foldText, foldWords, holdsWord } from "../word-match.ts";
import type { Viewer } from "./relations.ts";

/** Max filters of a user, and max keywords of all these together. */
export const filtersAtMost = mostOf("filters");
/** Max keywords of a filter. */
export const keywordsAtMost = 50;
/** Of a title or keyword, in graphemes. */
const wordLimit = 50;

/** Where a filter works. Lists of people are part of home; search, likes and bookmarks are public. */
export const filterContexts = ["home", "notifications", "public", "thread", "account"] as const;
export type FilterContext = (typeof filterContexts)[number];

/** "hide": the tweet is left out. "warn": it is folded below the title of the filter. */
export const filterActions = ["hide", "warn"] as const;
export type FilterAction = (typeof filterActions)[number];

export interface Keyword {
  /** Numeric; unique among the keywords of a user. */
  id: string;
  /** As typed; compared by foldText. */
  word: string;
  /** False: found inside of longer words as well. */
  whole: boolean;
}

/** Tweets of others that a user wants hidden or folded. A muted word is a filter with one keyword. */
export interface Filter {
  id: FilterId;
  title: string;
  action: FilterAction;
  contexts: readonly FilterContext[];
  /** The filter ends at this stamp; Infinity for never. */
  until: Stamp;
  keywords: readonly Keyword[];
}

/** JSON writes null for Infinity. */
type Stored = Omit<Filter, "id" | "until"> & { until: Stamp | null };

/** Includes filters that have ended. */
const storedFilters = readerOf<UserId, readonly Filter[]>({
  key: keys.filters,
  command: ["hgetall"],
  parse: (reply) => recordsIn<Stored>(reply as Record<string, string>).map(toFilter),
});

const recordsOf = recordsAt<Stored, UserId>(keys.filters);

/** The filters that work now, in alphabetical order; at most 200. */
export async function listFilters(ctx: Ctx, user: UserId): Promise<Filter[]> {
  const filters = await storedFilters(ctx, user);
  const now = withoutCachingNow(ctx) * 1000;
  const current = filters.filter(({ until }) => until > now);
  for (const { until } of current) expiresAt(until / 1000);
  return current.toSorted((one, other) => one.title.localeCompare(other.title, "en"));
}

/** Throws NotFound, for a filter of another user as well. */
export async function getFilter(ctx: Ctx, user: UserId, raw: string): Promise<Filter> {
  const filters = await listFilters(ctx, user);
  const filter = filters.find(({ id }) => id === raw);
  return required(filter, "filter");
}

/** The filter with this keyword. Throws NotFound. */
export async function filterOfKeyword(ctx: Ctx, user: UserId, keyword: string): Promise<Filter> {
  const filters = await listFilters(ctx, user);
  const filter = filters.find(({ keywords }) => keywords.some(({ id }) => id === keyword));
  return required(filter, "filter");
}

/** A filter that a text matches. */
export interface FilterMatch {
  filter: Filter;
  /** Its keywords that are in the text; at least one. */
  words: string[];
}

/** What a tweet is made of here. */
interface Filtered {
  author: string;
  text: string;
  /** Content warning: its words count as well. */
  warning?: string | undefined;
  /** So do those of their descriptions. */
  pictures?: readonly { description: string }[] | undefined;
  poll?: { choices: readonly string[] } | undefined;
}

const none: readonly FilterMatch[] = [];

/**
 * Tells which filters of the viewer (undefined: signed out) a tweet matches, in all contexts. The viewer's own
 * tweets match none.
 */
export async function filterMatcher(
  ctx: Ctx,
  viewer: Viewer | undefined,
): Promise<(tweet: Filtered) => readonly FilterMatch[]> {
  const filters = viewer === undefined ? [] : await listFilters(ctx, viewer.id);
  if (filters.length === 0) return () => none;
  const tests = filters.map((filter) => ({
    filter,
    keywords: filter.keywords.map(({ word, whole }) => ({ word, whole, folded: foldText(word) })),
  }));
  return ({ author, text, warning = "", pictures = [], poll }) => {
    if (author === viewer?.id) return none;
    const described = pictures.map(({ description }) => description);
    const folded = foldText([warning, text, ...described, ...(poll?.choices ?? [])].join("\n"));
    const matches = tests.map(({ filter, keywords }) => ({
      filter,
      words: keywords
        .filter((one) => (one.whole ? holdsWord(folded, one.folded) : folded.includes(one.folded)))
        .map(({ word }) => word),
    }));
    return matches.filter(({ words }) => words.length > 0);
  };
}

/** Whether a tweet with these matches is left out there. */
export function isHiddenBy(matches: readonly FilterMatch[], context: FilterContext): boolean {
  return actingThere(matches, "hide", context).length > 0;
}

/** Titles of the filters that fold a tweet with these matches there. */
export function warningsOf(matches: readonly FilterMatch[], context: FilterContext): string[] {
  return actingThere(matches, "warn", context).map(({ title }) => title);
}

function actingThere(
  matches: readonly FilterMatch[],
  action: FilterAction,
  context: FilterContext,
): Filter[] {
  const filters = matches.map(({ filter }) => filter);
  return filters.filter((one) => one.action === action && one.contexts.includes(context));
}

/** Random, or of a form; see formDigest. */
export const newFilterId = formNumber as (nonce?: string, ...parts: unknown[]) => FilterId;

/** The same of a keyword. */
export const newKeywordId: (nonce?: string, ...parts: unknown[]) => string = formNumber;

/**
 * Writes the filter `id` as `change` makes it of the one that is there, if any. Removes filters that have ended.
 * Throws Invalid, beside `title`, `word` or `context`, and what `change` throws.
 */
export async function writeFilter(
  ctx: Ctx,
  user: UserId,
  id: FilterId,
  change: (known: Filter | undefined) => Omit<Filter, "id">,
): Promise<Filter> {
  const records = recordsOf(ctx, user);
  return await untilFirst(async () => {
    const stored = await withoutEnded(ctx, user);
    const record = stored.find(({ field }) => field === id);
    const before = record && toFilter(record);
    const value = checked(change(before));
    const filter = { ...value, id };
    const others = stored.filter(({ field }) => field !== id);
    const words = others.reduce((sum, one) => sum + one.value.keywords.length, 0);
    const isMore = filter.keywords.length > (before?.keywords.length ?? 0);
    if (isMore && words + filter.keywords.length > filtersAtMost)
      throw new Invalid({ word: "word.many" });
    if (record !== undefined) return (await records.replace(record, value)) ? filter : "overtaken";
    const text = JSON.stringify(value);
    const present = await ctx.redis.addFieldAnyway(keys.filters(user), id, text, filtersAtMost);
    if (present === null) throw new Invalid({ word: "word.many" });
    return present === text ? filter : "overtaken";
  });
}

/** The same for a filter that is there. Throws NotFound as well: a filter that is deleted is not made again. */
export async function changeFilter(
  ctx: Ctx,
  user: UserId,
  id: FilterId,
  change: (known: Filter) => Omit<Filter, "id">,
): Promise<Filter> {
  return await writeFilter(ctx, user, id, (known) => change(required(known, "filter")));
}

/** Does nothing for a filter that is gone. */
export async function deleteFilter(ctx: Ctx, user: UserId, raw: string): Promise<void> {
  const id = parseFilterId(raw);
  if (id !== undefined) await recordsOf(ctx, user).remove(id);
  await withoutEnded(ctx, user);
}

/** Removes a keyword; the last one with its filter. Does nothing if it is gone. */
export async function deleteKeyword(
  ctx: Ctx,
  user: UserId,
  { id, keyword }: { id: FilterId; keyword: string },
): Promise<void> {
  await recordsOf(ctx, user).change(id, (filter) => {
    const keywords = filter.keywords.filter((one) => one.id !== keyword);
    if (keywords.length === filter.keywords.length) return undefined;
    return keywords.length === 0 ? null : { ...filter, keywords };
  });
}

/** Removes the filters that have ended; returns the others. */
async function withoutEnded(ctx: Ctx, user: UserId): Promise<JsonRecord<Stored>[]> {
  const now = stampAt(ctx.now(), user);
  const records = recordsOf(ctx, user);
  const stored = await records.list();
  const isEnded = (record: JsonRecord<Stored>) => toFilter(record).until <= now;
  await records.removeUnchanged(stored.filter(isEnded));
  return stored.filter((record) => !isEnded(record));
}

/** What is stored as JSON, which writes null for Infinity. Throws Invalid. */
function checked(filter: Omit<Filter, "id">): Omit<Filter, "id"> {
  const title = cleanLine(filter.title);
  if (isBlank(title)) throw new Invalid({ title: "filter.title" });
  if (!fitsGraphemes(title, wordLimit)) throw new Invalid({ title: "word.long" });
  if (filter.contexts.length === 0) throw new Invalid({ context: "filter.context" });
  if (filter.keywords.length > keywordsAtMost) throw new Invalid({ word: "filter.keywords" });
  const { action, until } = filter;
  const contexts = filterContexts.filter((context) => filter.contexts.includes(context));
  const keywords = filter.keywords.map(({ id, word, whole }) => ({
    id,
    word: checkWord(word),
    whole,
  }));
  return { title, action, contexts, until, keywords };
}

/** Folding may make a word longer. Throws Invalid, beside `word`. */
export function checkWord(raw: string): string {
  const word = cleanLine(raw);
  const folded = foldWords(word);
  if (isBlank(folded)) throw new Invalid({ word: "word.empty" });
  if (!fitsGraphemes(folded, wordLimit)) throw new Invalid({ word: "word.long" });
  return word;
}

function toFilter({ field, value }: JsonRecord<Stored>): Filter {
  return { ...value, id: field as FilterId, until: value.until ?? Infinity };
}
