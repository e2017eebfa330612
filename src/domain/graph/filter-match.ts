import type { Ctx } from "../../context.ts";
import { foldText, holdsWord } from "../word-match.ts";
import { type Filter, type FilterContext, listFilters } from "./filters.ts";
import type { Viewer } from "./relations.ts";

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
}

const none: readonly FilterMatch[] = [];
const noMatches = () => none;

/**
 * Tells which filters of the viewer (undefined: signed out) a tweet matches, in all contexts. The viewer's own
 * tweets match none.
 */
export async function filterMatcher(
  ctx: Ctx,
  viewer: Viewer | undefined,
): Promise<(tweet: Filtered) => readonly FilterMatch[]> {
  const filters = viewer === undefined ? [] : await listFilters(ctx, viewer.id);
  if (filters.length === 0) return noMatches;
  const tests = filters.map((filter) => ({
    filter,
    keywords: filter.keywords.map(({ word, whole }) => ({ word, whole, folded: foldText(word) })),
  }));
  return ({ author, text, warning = "", pictures = [] }) => {
    if (author === viewer?.id) return none;
    const described = pictures.map(({ description }) => description);
    const folded = foldText([warning, text, ...described].join("\n"));
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
  return matches.some(
    ({ filter }) => filter.action === "hide" && filter.contexts.includes(context),
  );
}

/** Titles of the filters that fold a tweet with these matches there. */
export function warningsOf(matches: readonly FilterMatch[], context: FilterContext): string[] {
  return matches
    .filter(({ filter }) => filter.action === "warn" && filter.contexts.includes(context))
    .map(({ filter }) => filter.title);
}
