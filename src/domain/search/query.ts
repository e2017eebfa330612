import { type Units, unitsOf } from "./terms.ts";
import { foldName, isName } from "../users/store.ts";
import { foldTag } from "../tweets/text.ts";

/** A parsed query; a tweet must match all of it. */
export interface Query extends Units {
  /** Folded. */
  tags: string[];
  /** Folded names of authors. More than one, or an impossible name, matches no tweet. */
  from: string[];
}

/** Max characters of a query; enough for a whole tweet. */
const queryLimit = 2000;

/** Parses untrusted text: words, parts of runs, `#tag` and `from:name`, separated by spaces. */
export function parseQuery(typed: string): Query {
  const query: Query = { words: [], runs: [], tags: [], from: [] };
  const texts: string[] = [];
  for (const piece of typed.slice(0, queryLimit).toWellFormed().split(/\s+/)) {
    const tag = /^[#＃]/.test(piece) ? foldTag(piece) : undefined;
    const from = /^from[:：]@?(.+)$/i.exec(piece)?.[1];
    if (tag !== undefined) query.tags.push(tag);
    else if (from !== undefined) query.from.push(foldName(from));
    else texts.push(piece);
  }
  const units = unitsOf(texts.join(" "));
  query.words = [...new Set(units.words)];
  query.runs = [...new Set(units.runs)];
  query.tags = [...new Set(query.tags)];
  query.from = [...new Set(query.from)];
  return query;
}

/** Why a query cannot be answered: it is empty, or has only one character of a run. */
export function queryProblem({ words, runs, tags, from }: Query): "empty" | "short" | undefined {
  const isListed = words.length > 0 || runs.some((run) => [...run].length > 1);
  if (isListed || tags.length > 0 || from.length > 0) return undefined;
  return runs.length > 0 ? "short" : "empty";
}

/** The one author of the query, if the name is possible. */
export function authorIn({ from }: Query): string | undefined {
  const [name = ""] = from;
  return from.length === 1 && isName(name) ? name : undefined;
}
