import { z } from "zod";
import {
  type Filter as FilterFacts,
  filterActions,
  filterContexts,
  type FilterMatch,
  type Keyword,
} from "../../../domain/graph/filters.ts";
import { entity, formatDate, moment } from "./fields.ts";
import { type Json, toJson } from "./parts.ts";

const id = z.string().regex(/^\d+$/);

export const FilterKeyword = entity("FilterKeyword", {
  id,
  keyword: z.string(),
  whole_word: z.boolean(),
});

const facts = {
  id,
  title: z.string(),
  context: z.array(z.enum(filterContexts)),
  expires_at: moment.nullable(),
  filter_action: z.enum(filterActions),
};

/** Only words are filtered, not single statuses. */
export const Filter = entity("Filter", {
  ...facts,
  keywords: z.array(FilterKeyword),
  statuses: z.array(z.never()).max(0),
});

/** A filter that a status matches. */
export const FilterResult = entity("FilterResult", {
  filter: z.strictObject(facts),
  keyword_matches: z.array(z.string()),
  status_matches: z.array(z.never()).max(0),
});

/** A keyword as the first version of Mastodon's filters has it. */
export const FilterV1 = entity("V1_Filter", {
  id,
  phrase: z.string(),
  context: z.array(z.enum(filterContexts)),
  whole_word: z.boolean(),
  expires_at: moment.nullable(),
  irreversible: z.boolean().describe("Whether the status is left out."),
});

export function presentFilter(filter: FilterFacts): z.output<typeof Filter> {
  return { ...factsOf(filter), keywords: filter.keywords.map(presentKeyword), statuses: [] };
}

export function presentKeyword(keyword: Keyword): z.output<typeof FilterKeyword> {
  return { id: keyword.id, keyword: keyword.word, whole_word: keyword.whole };
}

export function presentFilterV1(filter: FilterFacts, keyword: Keyword): z.output<typeof FilterV1> {
  const { context, expires_at } = factsOf(filter);
  return {
    id: keyword.id,
    phrase: keyword.word,
    context,
    whole_word: keyword.whole,
    expires_at,
    irreversible: filter.action === "hide",
  };
}

/** The `filtered` of a status. */
export function serializeMatches(matches: readonly FilterMatch[]): Json {
  return toJson(
    matches.map(({ filter, words }) => ({
      filter: factsOf(filter),
      keyword_matches: words,
      status_matches: [],
    })),
  );
}

function factsOf({ id: filter, title, contexts, until, action }: FilterFacts) {
  return {
    id: filter,
    title,
    context: [...contexts],
    expires_at: until === Infinity ? null : formatDate(until),
    filter_action: action,
  };
}
