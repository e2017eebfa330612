import { createHash } from "node:crypto";
import type { Ctx } from "../../context.ts";
import { type FilterId, type UserId, stampAt } from "../ids.ts";
import { foldWords } from "../word-match.ts";
import {
  checkWord,
  type Filter,
  type FilterAction,
  type FilterContext,
  filterContexts,
  listFilters,
  newFilterId,
  writeFilter,
} from "./filters.ts";

const day = 24 * 60 * 60 * 1000;

/** A word as its user types it. */
interface MutedWordInput {
  word: string;
  /** Undefined: for ever. */
  days: number | undefined;
  /** Default: hide. */
  action?: FilterAction;
  /** Default, and if it is empty: everywhere. */
  contexts?: readonly FilterContext[];
}

/**
 * Mutes a word or phrase for a number of days, or for ever: a filter with this one keyword. Muting it again starts
 * again from now. Throws Invalid, beside `word`.
 */
export async function muteWord(ctx: Ctx, user: UserId, input: MutedWordInput): Promise<void> {
  const { days, action = "hide", contexts = [] } = input;
  const word = checkWord(foldWords(checkWord(input.word)));
  const filters = await listFilters(ctx, user);
  const id = filterOfWord(filters, word, true);
  const until = days === undefined ? Infinity : stampAt(ctx.now(), user) + days * day * 1000;
  await writeFilter(ctx, user, id, (known) => ({
    title: known?.title ?? word,
    action,
    contexts: contexts.length === 0 ? filterContexts : contexts,
    until,
    keywords: [{ id: known?.keywords[0]?.id ?? id, word, whole: true }],
  }));
}

/**
 * The filter that has this keyword and no other, or a new one: the same id for the same word, so that it is muted once;
 * unless an app has changed the filter with that id.
 */
export function filterOfWord(filters: Filter[], word: string, whole: boolean): FilterId {
  const sameFilter = filters.find(({ keywords: [only, more] }) => {
    const isOnly = only?.whole === whole && more === undefined;
    return isOnly && foldWords(only.word) === foldWords(word);
  });
  if (sameFilter !== undefined) return sameFilter.id;
  const id = mutedWordId(foldWords(word));
  return filters.some((filter) => filter.id === id) ? newFilterId() : id;
}

/** The id of the filter that mutes a word, as foldWords folds it. */
export function mutedWordId(word: string): FilterId {
  const digest = createHash("sha256").update(word).digest();
  return String(digest.readUIntBE(0, 5) + 1) as FilterId;
}
