import { z } from "zod";
import type { Ctx } from "../../context.ts";
import { required } from "../../domain/errors.ts";
import {
  changeFilter,
  type Filter,
  type FilterAction,
  filterActions,
  type FilterContext,
  filterContexts,
  filterOfKeyword,
  type Keyword,
  keywordsAtMost,
  newKeywordId,
} from "../../domain/graph/filters.ts";
import { type Stamp, stampAt } from "../../domain/ids.ts";
import type { User } from "../../domain/users/store.ts";
import { type ApiRequest, scoped } from "./endpoint.ts";
import { flag, text, texts, toObjects } from "./input.ts";

export const ofUser = scoped("read:filters", "write:filters");
/** `filter`: the one with this keyword. */
export const ofKeyword = scoped("read:filters", "write:filters", ({ ctx, viewer, params }) =>
  filterOfKeyword(ctx, viewer.id, params.id),
);

/** Seconds: a hundred years. */
const longest = 100 * 365 * 24 * 60 * 60;

const lifetime = z
  .preprocess((value) => {
    if (value === "") return null;
    return typeof value === "string" ? Number(value) : value;
  }, z.number().int().min(0).max(longest).nullable().optional())
  .describe("Seconds from now until the filter ends; null or empty: it does not end.");

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
  filter_action: z
    .enum([...filterActions, "blur"])
    .optional()
    .describe("`blur` is refused."),
  expires_in: lifetime,
  keywords_attributes: keywords,
};

export const keywordBody = z.object({ keyword: text, whole_word: flag });

/** A keyword that is added, changed or removed. A new one gets its id here, once, however often the write is tried. */
export function toKeywordChange(
  input: Partial<z.output<typeof keywords>[number]>,
  made: string = newKeywordId(),
) {
  return { ...input, id: input.id ?? made, isNew: input.id === undefined };
}

type KeywordChange = ReturnType<typeof toKeywordChange>;
type FilterFacts = Omit<Filter, "id">;

interface Wishes {
  title?: string | undefined;
  action?: FilterAction | undefined;
  contexts?: FilterContext[];
  until?: Stamp | undefined;
  keywords: KeywordChange[];
}

const blank: FilterFacts = {
  title: "",
  action: "warn",
  contexts: [],
  until: Infinity,
  keywords: [],
};

/** The filter with what is wished for; the rest stays as it is. */
export function withWishes(known: FilterFacts = blank, wishes: Wishes): FilterFacts {
  const { title = known.title, action = known.action, contexts = [], until = known.until } = wishes;
  return {
    title,
    action,
    contexts: contexts.length === 0 ? known.contexts : contexts,
    until,
    keywords: withChanges(known.keywords, wishes.keywords),
  };
}

/** Writes what is wished for. Throws what changeFilter throws. */
export function applyWishes({ ctx, viewer }: ApiRequest<User>, { id }: Filter, wishes: Wishes) {
  return changeFilter(ctx, viewer.id, id, (known) => withWishes(known, wishes));
}

function withChanges(known: readonly Keyword[], changes: KeywordChange[]): Keyword[] {
  const changed = known.flatMap(({ id, ...before }) => {
    const change = changes.find((one) => !one.isNew && one.id === id);
    const { _destroy: isRemoved, keyword: word = before.word, whole_word } = change ?? {};
    return isRemoved === true ? [] : { id, word, whole: whole_word ?? before.whole };
  });
  const added = changes
    .filter(({ isNew, _destroy: isRemoved }) => isNew && isRemoved !== true)
    .filter(({ id }) => !known.some((one) => one.id === id))
    .map(({ id, keyword: word = "", whole_word: whole = true }) => ({ id, word, whole }));
  return [...changed, ...added];
}

/** Throws NotFound: it may have been removed by now. */
export function keywordOf({ keywords: all }: Filter, wanted: string): Keyword {
  const keyword = all.find(({ id }) => id === wanted);
  return required(keyword, "filter");
}

/** Undefined: not asked for. */
export function endOf(ctx: Ctx, { id }: User, seconds: number | null | undefined) {
  if (seconds === null) return Infinity;
  return seconds === undefined ? undefined : stampAt(ctx.now(), id) + seconds * 1e6;
}
