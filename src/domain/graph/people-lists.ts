import type { Ctx } from "../../context.ts";
import { type UserId, userId } from "../ids.ts";
import { beyond, type Page, pageSize, type Range } from "../page.ts";
import type { Stamp } from "../stamp.ts";
import { hiddenFrom } from "./visibility.ts";
import type { Viewer } from "./relations.ts";
import { findUsers, type User } from "../users/store.ts";

/** Max rounds of reading that replace hidden users on one page; after that the page stays short. */
const maxRounds = 20;

type Read = (range: Range) => Promise<Page<{ id: string; stamp: Stamp }>>;

/** The part of a list to read; see FeedRange. */
interface PeopleRange {
  before?: Stamp | undefined;
  after?: Stamp | undefined;
  from?: Stamp | undefined;
  limit?: number | undefined;
}

/** With the stamps of its first and its last entry. */
export interface PeoplePage extends Page<User> {
  newest: Stamp | undefined;
  oldest: Stamp | undefined;
}

/** A page of a list of people, without those hidden from the viewer; full unless the list ends. */
export async function readPeople(
  ctx: Ctx,
  { viewer, ...range }: PeopleRange & { viewer: Viewer | undefined },
  read: Read,
): Promise<PeoplePage> {
  return await fillPage(ctx, range, read, (ids) => hiddenFrom(ctx, viewer, ids));
}

/** The same of a list that the viewer owns: only users who are gone are left out. */
export async function readOwnPeople(ctx: Ctx, range: PeopleRange, read: Read): Promise<PeoplePage> {
  return await fillPage(ctx, range, read, async () => () => false);
}

interface ListedUser {
  user: User;
  stamp: Stamp;
}

async function fillPage(
  ctx: Ctx,
  { before, after, from, limit = pageSize }: PeopleRange,
  read: Read,
  hidden: (ids: UserId[]) => Promise<(id: UserId) => boolean>,
): Promise<PeoplePage> {
  const upwards = from !== undefined;
  let range: Range = {
    before,
    after: upwards ? Math.max(from, after ?? 0) : after,
    limit,
    upwards,
  };
  /** In reading order. */
  const found: ListedUser[] = [];
  let rest: Stamp | undefined;
  for (let round = 0; round < maxRounds && found.length < limit; round += 1) {
    const { items, older } = await read({ ...range, limit: limit - found.length });
    found.push(...(await visibleUsers(ctx, upwards ? items.toReversed() : items, hidden)));
    rest = upwards ? items[0]?.stamp : older;
    if (rest === undefined) break;
    range = beyond(range, rest);
  }
  const people = upwards ? found.toReversed() : found;
  const [newest, oldest] = [people[0]?.stamp, people.at(-1)?.stamp];
  const page = { items: people.map(({ user }) => user), newest, oldest };
  return upwards ? { ...page, older: oldest, newer: rest } : { ...page, older: rest };
}

/** The users who exist and are not hidden. */
async function visibleUsers(
  ctx: Ctx,
  entries: { id: string; stamp: Stamp }[],
  hidden: (ids: UserId[]) => Promise<(id: UserId) => boolean>,
): Promise<ListedUser[]> {
  const ids = entries.map(({ id }) => userId(id));
  const isHidden = await hidden(ids);
  const users = await findUsers(ctx, ids);
  return entries.flatMap(({ stamp }, index) => {
    const id = ids[index] ?? ("" as UserId);
    const user = users.get(id);
    return user === undefined || isHidden(id) ? [] : [{ user, stamp }];
  });
}
