import type { Ctx } from "../../context.ts";
import { type Command, exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { type UserId, userId } from "../ids.ts";
import { pageSize } from "../page.ts";
import { foldName } from "../users/names.ts";
import { hiddenFrom } from "../graph/visibility.ts";
import type { Viewer } from "../graph/relations.ts";
import { findUser, findUsers, holderOf, type User } from "../users/store.ts";
import { unitsInOrder } from "./terms.ts";

/**
 * Users are indexed under the first character of each entry: by name, and from each word of the full name on.
 * An entry is "WORD:WORD ID", so that a prefix is a range. Words contain neither colon nor space.
 */
const wordsKept = 12;
/** Max rounds of reading that replace hidden users on one page. */
const maxRounds = 20;
/** Sorts after every character that a word may have. */
const last = "\u{10FFFF}";

/** `next` continues after the last user; undefined at the end. */
export interface PeoplePage {
  people: User[];
  next: string | undefined;
}

/**
 * The chore promised before each change of a name: makes the index agree with the user as stored, or gone. May
 * run twice, and at the same time as itself: the last run to end has read the last change.
 */
export async function indexPerson(ctx: Ctx, id: UserId): Promise<void> {
  const memo = keys.indexedPerson(id);
  let wanted = await peopleEntries(ctx, id);
  const written = new Set<string>();
  for (let tries = 0; tries < 10; tries += 1) {
    const known = (await ctx.redis.get(memo)) ?? "";
    for (const entry of known.split("\n")) if (entry !== "") written.add(entry);
    const all = new Set([...written, ...wanted]);
    // Recorded before it is written, so that every entry in the index is known.
    if (all.size > 0) await ctx.redis.set(memo, [...all].join("\n"));
    await exec(ctx.redis, changesOf(all, wanted));
    if (wanted.length > 0) await ctx.redis.set(memo, wanted.join("\n"));
    else await ctx.redis.del(memo);
    for (const entry of wanted) written.add(entry);
    const again = await peopleEntries(ctx, id);
    if (again.join("\n") === wanted.join("\n")) return;
    wanted = again;
  }
}

function changesOf(all: Set<string>, wanted: string[]): Command[] {
  return [...all].map((entry) => {
    const list = keys.searchPeople(firstCharacterOf(entry));
    return wanted.includes(entry) ? ["zadd", list, 0, entry] : ["zrem", list, entry];
  });
}

/** The entries that a user should have; none before the sign-up is committed. */
export async function peopleEntries(ctx: Ctx, id: UserId): Promise<string[]> {
  const user = await findUser(ctx, id);
  if (user === undefined) return [];
  return (await holderOf(ctx, user.name)) === id ? entriesOf(user) : [];
}

/** All search entries of a user. */
function entriesOf({ id, name, fullname }: User): string[] {
  const words = unitsInOrder(fullname).slice(0, wordsKept);
  const phrases = words.map((_, index) => words.slice(index).join(":"));
  return [...new Set([foldName(name), ...phrases])].map((phrase) => `${phrase} ${id}`);
}

/** The character under which an entry is indexed. */
export function firstCharacterOf(entry: string): string {
  return String.fromCodePoint(entry.codePointAt(0) ?? 0);
}

/**
 * Users whose name, or whose full name from one of its words on, begins with the typed text, in alphabetical
 * order. Each user once, at their first entry. Without users hidden from the viewer.
 */
export async function searchPeople(
  ctx: Ctx,
  viewer: Viewer | undefined,
  typed: string,
  after: string | undefined,
): Promise<PeoplePage> {
  const prefix = unitsInOrder(typed).join(":");
  const found: { entry: string; user: User }[] = [];
  if (prefix === "") return { people: [], next: undefined };
  let cursor = after?.startsWith(prefix) === true ? after : undefined;
  for (let round = 0; round < maxRounds; round += 1) {
    const entries = await readRange(ctx, prefix, cursor);
    const ids = entries.map(idOf);
    const isHidden = await hiddenFrom(ctx, viewer, ids);
    const users = await findUsers(ctx, ids);
    for (const entry of entries) {
      const user = users.get(idOf(entry));
      if (user === undefined || isHidden(user.id)) continue;
      if (firstEntry(user, prefix) === entry) found.push({ entry, user });
    }
    cursor = entries.length > pageSize ? entries.at(-1) : undefined;
    if (cursor === undefined || found.length > pageSize) break;
  }
  const page = found.slice(0, pageSize);
  const next = found.length > pageSize ? page.at(-1)?.entry : cursor;
  return { people: page.map(({ user }) => user), next };
}

async function readRange(ctx: Ctx, prefix: string, cursor: string | undefined): Promise<string[]> {
  const from = cursor === undefined ? `[${prefix}` : `(${cursor}`;
  const list = keys.searchPeople(firstCharacterOf(prefix));
  const to = `(${prefix}${last}`;
  return await ctx.redis.zrange(list, from, to, "BYLEX", "LIMIT", 0, pageSize + 1);
}

function idOf(entry: string): UserId {
  return userId(entry.slice(entry.indexOf(" ") + 1));
}

/** Redis sorts by bytes. */
function firstEntry(user: User, prefix: string): string | undefined {
  const entries = entriesOf(user).filter((entry) => entry.startsWith(prefix));
  return entries.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)))[0];
}
