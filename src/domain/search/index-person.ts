import type { Ctx } from "../../context.ts";
import { type Command, exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import type { UserId } from "../ids.ts";
import { reconcile } from "../promises.ts";
import { findUser, foldName, holderOf, type User } from "../users/store.ts";
import { type Unit, unitsIn } from "./terms.ts";

/**
 * Users are indexed under the first character of each entry: by name, from each part of a name with "_" on, from
 * each word of the full name on and, in scripts without spaces, from each character of it on. An entry is
 * "WORD:WORD ID", so that a prefix is a range. Words contain neither colon nor space.
 */
const startsKept = 30;

/**
 * The chore promised before each change of a name: makes the index agree with the user as stored, or gone. May
 * run twice, and at the same time as itself: the last run to end has read the last change.
 */
export async function indexPerson(ctx: Ctx, id: UserId): Promise<void> {
  const memo = keys.indexedPerson(id);
  const written = new Set<string>();
  await reconcile(
    () => peopleEntries(ctx, id),
    async (wanted) => {
      const indexed = (await ctx.redis.get(memo)) ?? "";
      for (const entry of indexed.split("\n")) if (entry !== "") written.add(entry);
      const all = new Set([...written, ...wanted]);
      // Recorded before it is written, so that every entry in the index is known.
      if (all.size > 0) await ctx.redis.set(memo, [...all].join("\n"));
      await exec(ctx.redis, changesOf(all, wanted));
      if (wanted.length > 0) await ctx.redis.set(memo, wanted.join("\n"));
      else await ctx.redis.del(memo);
      for (const entry of wanted) written.add(entry);
    },
  );
}

function changesOf(all: Set<string>, wanted: string[]): Command[] {
  return [...all].map((entry) => {
    const list = keys.searchPeople(firstCharacterOf(entry));
    return wanted.includes(entry) ? ["zadd", list, 0, entry] : ["zrem", list, entry];
  });
}

/** The entries that a user should have: none before the sign-up is committed, nor once it is declined, as it expires then. */
export async function peopleEntries(ctx: Ctx, id: UserId): Promise<string[]> {
  const user = await findUser(ctx, id);
  if (user === undefined) return [];
  if (user.waiting && (await ctx.redis.hexists(keys.user(id), "refusal")) === 1) return [];
  return (await holderOf(ctx, user.name)) === id ? entriesOf(user) : [];
}

/** All search entries of a user. */
export function entriesOf({ id, name, fullname }: User): string[] {
  const phrases = [...partsOf(foldName(name)), ...startsOf(unitsIn(fullname))];
  return [...new Set(phrases)].map((phrase) => `${phrase} ${id}`);
}

/** "ann_b" → itself, "b". */
function partsOf(name: string): string[] {
  const starts = [...name.matchAll(/_(?=[a-z0-9])/g)].map(({ index }) => name.slice(index + 1));
  return [name, ...starts];
}

function startsOf(units: Unit[]): string[] {
  const starts = units.flatMap(({ text, isRun }, nth) => {
    const rest = units.slice(nth + 1);
    const characters = isRun ? [...text] : [text];
    return characters.map((_, at) =>
      phraseOf([{ text: characters.slice(at).join(""), isRun }, ...rest]),
    );
  });
  return starts.slice(0, startsKept);
}

/** Words as they stand in an entry. Between scripts without spaces a space means nothing: 田中 健太 is 田中健太. */
export function phraseOf(units: Unit[]): string {
  const joined = units.map(({ text, isRun }, nth) =>
    nth === 0 || (isRun && units[nth - 1]?.isRun === true) ? text : `:${text}`,
  );
  return joined.join("");
}

/** The character under which an entry is indexed. */
export function firstCharacterOf(entry: string): string {
  return String.fromCodePoint(entry.codePointAt(0) ?? 0);
}
