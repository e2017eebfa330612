import { z } from "zod";
import type { Ctx } from "../../context.ts";
import { Invalid, NotFound } from "../../domain/errors.ts";
import {
  type Filter,
  type FilterAction,
  filterActions,
  filterContexts,
  type Keyword,
  keywordsAtMost,
  newKeywordId,
} from "../../domain/graph/filters.ts";
import { type Stamp, stampAt } from "../../domain/stamp.ts";
import type { User } from "../../domain/users/store.ts";
import { flag, text, texts, toObjects } from "./input.ts";

/** Seconds: a hundred years. */
const longest = 100 * 365 * 24 * 60 * 60;

const lifetime = z
  .preprocess((value) => {
    if (value === "") return null;
    return typeof value === "string" ? Number(value) : value;
  }, z.number().int().min(0).max(longest).nullable().optional())
  .describe("Seconds from now until the filter ends; null or empty: it does not end.");

const action = z
  .enum([...filterActions, "blur"])
  .optional()
  .describe("`blur` is refused.");

const keywords = z
  .preprocess(
    toObjects,
    z
      .array(z.object({ id: text, keyword: text, whole_word: flag, _destroy: flag }))
      .max(2 * keywordsAtMost),
  )
  .describe("Without `id`: a new one. With `_destroy`: it is removed.");

/** What a filter can be given beside its title. */
export const filterWishes = {
  context: texts.pipe(z.array(z.enum(filterContexts))),
  filter_action: action,
  expires_in: lifetime,
  keywords_attributes: keywords,
};

export const keywordBody = z.object({ keyword: text, whole_word: flag });

/** A keyword that is added, changed or removed. */
export interface KeywordChange {
  id: string;
  isNew: boolean;
  isRemoved: boolean;
  word: string | undefined;
  whole: boolean | undefined;
}

type KeywordInput = z.output<typeof keywords>[number];

/** A new keyword gets its id here, once, however often the write is tried. */
export function toKeywordChange(
  input: Partial<KeywordInput>,
  made: string = newKeywordId(),
): KeywordChange {
  const { id, keyword, whole_word: whole, _destroy: isRemoved = false } = input;
  return { id: id ?? made, isNew: id === undefined, isRemoved, word: keyword, whole };
}

export function withChanges(known: readonly Keyword[], changes: KeywordChange[]): Keyword[] {
  const changed = known.flatMap((keyword) => {
    const change = changes.find(({ id, isNew }) => !isNew && id === keyword.id);
    if (change === undefined) return keyword;
    const { isRemoved, word = keyword.word, whole = keyword.whole } = change;
    return isRemoved ? [] : { id: keyword.id, word, whole };
  });
  const added = changes
    .filter(
      ({ isNew, isRemoved, id }) => isNew && !isRemoved && !known.some((one) => one.id === id),
    )
    .map(({ id, word = "", whole = true }) => ({ id, word, whole }));
  return [...changed, ...added];
}

/** Throws NotFound: it may have been removed by now. */
export function keywordOf({ keywords: all }: Filter, wanted: string): Keyword {
  const keyword = all.find(({ id }) => id === wanted);
  if (keyword === undefined) throw new NotFound("filter");
  return keyword;
}

/** Throws Invalid. */
export function actionOf(wanted: z.output<typeof action>): FilterAction | undefined {
  if (wanted === "blur") throw new Invalid({ filter_action: "filter.blur" });
  return wanted;
}

/** Undefined: not asked for. */
export function endOf(
  ctx: Ctx,
  { id }: User,
  seconds: number | null | undefined,
): Stamp | undefined {
  if (seconds === null) return Infinity;
  return seconds === undefined ? undefined : stampAt(ctx.now(), id) + seconds * 1e6;
}
