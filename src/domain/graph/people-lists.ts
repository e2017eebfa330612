import type { Ctx } from "../../context.ts";
import type { UserId, Stamp } from "../ids.ts";
import {
  type Entry,
  type ListRange,
  maxRounds,
  type Page,
  pageSize,
  type Range,
  rangeBeyond,
} from "../page.ts";
import { findListedUsers } from "../users/listed.ts";
import type { User } from "../users/store.ts";
import { hiddenFrom, type Viewer } from "./relations.ts";

type Read = (range: Range) => Promise<Page<Entry>>;

/** With the stamps of its first and its last entry. */
export interface PeoplePage extends Page<User> {
  newest: Stamp | undefined;
  oldest: Stamp | undefined;
}

/** Tells which users a list leaves out. */
type Hides = (ids: UserId[]) => Promise<(id: UserId) => boolean>;

/** A page of a list of people, without those hidden from the viewer; full unless the list ends. */
export async function readPeople(
  ctx: Ctx,
  { viewer, ...range }: ListRange & { viewer: Viewer | undefined },
  read: Read,
  hides: Hides = (ids) => hiddenFrom(ctx, viewer, ids),
): Promise<PeoplePage> {
  const page = await fillPage(range, read, async (entries) => {
    const listed = await findListedUsers(ctx, entries);
    const isHidden = await hides(listed.map(({ user }) => user.id));
    return listed.filter(({ user }) => !isHidden(user.id));
  });
  const [newest, oldest] = [page.items[0]?.stamp, page.items.at(-1)?.stamp];
  return { ...page, items: page.items.map(({ user }) => user), newest, oldest };
}

/** The same of a list that the viewer owns: only users who are gone are left out. */
export async function readOwnPeople(ctx: Ctx, range: ListRange, read: Read): Promise<PeoplePage> {
  return await readPeople(ctx, { ...range, viewer: undefined }, read, async () => () => false);
}

/** A page of what `show` makes of the entries of a list, in their order: full unless the list ends. */
export async function fillPage<Item extends { stamp: Stamp }>(
  { before, after, from, limit = pageSize }: ListRange,
  read: Read,
  show: (entries: Entry[]) => Promise<Item[]>,
): Promise<Page<Item>> {
  const upwards = from !== undefined;
  const bottom = upwards ? Math.max(from, after ?? 0) : after;
  let range: Range = { before, after: bottom, limit, upwards };
  /** In reading order. */
  const shown: Item[] = [];
  let rest: Stamp | undefined;
  for (let round = 0; round < maxRounds && shown.length < limit; round += 1) {
    const { items, older } = await read({ ...range, limit: limit - shown.length });
    shown.push(...(await show(upwards ? items.toReversed() : items)));
    rest = upwards ? items[0]?.stamp : older;
    if (rest === undefined) break;
    range = rangeBeyond(range, rest);
  }
  if (!upwards) return { items: shown, older: rest };
  const items = shown.toReversed();
  return { items, older: items.at(-1)?.stamp, newer: rest };
}
