import { z } from "zod";
import { Invalid } from "../errors.ts";
import { type Filter, filterActions, filterContexts, writeFilter } from "../graph/filters.ts";
import { mutedWordId } from "../graph/muted-words.ts";
import { formatTimestamp, parseTimestamp, stampAt } from "../stamp.ts";
import { foldWords } from "../word-match.ts";
import type { ImportRun, Outcome } from "./import-run.ts";

/** A keyword of a filter in an export; most muted words are a word and nothing more. */
export const wordRow = z.object({
  word: z.string(),
  until: z.string().optional(),
  title: z.string().optional(),
  action: z.enum(filterActions).optional(),
  contexts: z.array(z.enum(filterContexts)).optional(),
  whole: z.boolean().optional(),
});

export type WordRow = z.output<typeof wordRow>;

/** A row for each keyword. Leaves out what is the same for most. */
export function toWordRows({ title, action, contexts, until, keywords }: Filter): WordRow[] {
  return keywords.map(({ word, whole }) => ({
    word,
    until: until === Infinity ? undefined : formatTimestamp(until),
    title: title === word ? undefined : title,
    action: action === "hide" ? undefined : action,
    contexts: contexts.length === filterContexts.length ? undefined : [...contexts],
    whole: whole ? undefined : whole,
  }));
}

/** Mutes the word as the file says, by a filter of its own. May run twice. */
export async function importWord(
  { ctx, payer: { user } }: ImportRun,
  row: WordRow,
): Promise<Outcome> {
  const { word, title = word, action = "hide", contexts = filterContexts, whole = true } = row;
  const until = row.until === undefined ? Infinity : parseTimestamp(row.until);
  if (until === undefined || until <= stampAt(ctx.now(), user)) return "words";
  const id = mutedWordId(foldWords(word));
  const keywords = [{ id, word, whole }];
  try {
    await writeFilter(ctx, user, id, () => ({ title, action, contexts, until, keywords }));
    return "imported";
  } catch (error) {
    if (error instanceof Invalid) return "words";
    throw error;
  }
}
