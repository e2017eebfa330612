import type { Ctx } from "../../context.ts";
import type { UserId } from "../ids.ts";
import {
  type Entry,
  type ListRange,
  maxRounds,
  type Page,
  pageSize,
  type Range,
  rangeBeyond,
} from "../page.ts";
import type { Stamp } from "../stamp.ts";
import { findListedUsers, type ListedUser } from "../users/listed.ts";
import type { User } from "../users/store.ts";
import { hiddenFrom, type Viewer } from "./relations.ts";

type Read = (range: Range) => Promise<Page<Entry>>;

/** With the stamps of its first and its last entry. */
export interface PeoplePage extends Page<User> {
  newest: Stamp | undefined;
  oldest: Stamp | undefined;
}

/** A page of a list of people, without those hidden from the viewer; full unless the list ends. */
export async function readPeople(
  ctx: Ctx,
  { viewer, ...range }: ListRange & { viewer: Viewer | undefined },
  read: Read,
): Promise<PeoplePage> {
  return await fillPage(ctx, range, read, (ids) => hiddenFrom(ctx, viewer, ids));
}

/** The same of a list that the viewer owns: only users who are gone are left out. */
export async function readOwnPeople(ctx: Ctx, range: ListRange, read: Read): Promise<PeoplePage> {
  return await fillPage(ctx, range, read, async () => () => false);
}

async function fillPage(
  ctx: Ctx,
  { before, after, from, limit = pageSize }: ListRange,
  read: Read,
  hidden: (ids: UserId[]) => Promise<(id: UserId) => boolean>,
): Promise<PeoplePage> {
  const upwards = from !== undefined;
  const bottom = upwards ? Math.max(from, after ?? 0) : after;
  let range: Range = { before, after: bottom, limit, upwards };
  /** In reading order. */
  const listed: ListedUser[] = [];
  let rest: Stamp | undefined;
  for (let round = 0; round < maxRounds && listed.length < limit; round += 1) {
    const { items, older } = await read({ ...range, limit: limit - listed.length });
    listed.push(...(await visibleUsers(ctx, upwards ? items.toReversed() : items, hidden)));
    rest = upwards ? items[0]?.stamp : older;
    if (rest === undefined) break;
    range = rangeBeyond(range, rest);
  }
  const people = upwards ? listed.toReversed() : listed;
  const [newest, oldest] = [people[0]?.stamp, people.at(-1)?.stamp];
  const page = { items: people.map(({ user }) => user), newest, oldest };
  return upwards ? { ...page, older: oldest, newer: rest } : { ...page, older: rest };
}

/** The users who exist and are not hidden. */
async function visibleUsers(
  ctx: Ctx,
  entries: Entry[],
  hidden: (ids: UserId[]) => Promise<(id: UserId) => boolean>,
): Promise<ListedUser[]> {
  const listed = await findListedUsers(ctx, entries);
  const isHidden = await hidden(listed.map(({ user }) => user.id));
  return listed.filter(({ user }) => !isHidden(user.id));
}
