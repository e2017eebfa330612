import type { Ctx } from "../../context.ts";
import { type UserId, userId } from "../ids.ts";
import { beyond, type Entry, type Page, pageSize, type Range } from "../page.ts";
import type { Stamp } from "../stamp.ts";
import { hiddenFrom } from "./hidden.ts";
import type { Viewer } from "./relations.ts";
import { findUsers, type User } from "./store.ts";

/** One page asks so many times for others in the place of those who are left out; then it ends short. */
const maxRounds = 20;

/** Which part of a list of people; bounds are exclusive. */
export interface PeoplePart {
  before?: Stamp | undefined;
  /** The newest that are newer than this. */
  after?: Stamp | undefined;
  /** Those just newer than this. */
  from?: Stamp | undefined;
  /** How many; a page of the site unless it is said. */
  limit?: number | undefined;
}

/** Newest first, with the stamps of the first and the last; none of an empty page. */
export interface PeoplePage extends Page<User> {
  newest: Stamp | undefined;
  oldest: Stamp | undefined;
}

type Read = (range: Range) => Promise<Page<Entry>>;

/** A page of a list of people: those whom the viewer may see, full unless the list ends. */
export async function readPeople(
  ctx: Ctx,
  { viewer, ...part }: PeoplePart & { viewer: Viewer | undefined },
  read: Read,
): Promise<PeoplePage> {
  return await fillPage(ctx, part, read, (ids) => hiddenFrom(ctx, viewer, ids));
}

/** The same of a list of one's own, which hides nobody who is still there. */
export async function readOwnPeople(ctx: Ctx, part: PeoplePart, read: Read): Promise<PeoplePage> {
  return await fillPage(ctx, part, read, async () => () => false);
}

async function fillPage(
  ctx: Ctx,
  { before, after, from, limit = pageSize }: PeoplePart,
  read: Read,
  hidden: (ids: UserId[]) => Promise<(id: UserId) => boolean>,
): Promise<PeoplePage> {
  const upwards = from !== undefined;
  const found: { user: User; stamp: Stamp }[] = [];
  let range: Range = { before, after: Math.max(after ?? 0, from ?? 0), limit, upwards };
  let older: Stamp | undefined;
  for (let round = 0; round < maxRounds && found.length < limit; round += 1) {
    const page = await read({ ...range, limit: limit - found.length });
    const ids = page.items.map(({ id }) => userId(id));
    const isHidden = await hidden(ids);
    const users = await findUsers(ctx, ids);
    // Pages are newest first in any direction.
    for (const { id, stamp } of upwards ? page.items.toReversed() : page.items) {
      const user = users.get(userId(id));
      if (user !== undefined && !isHidden(user.id)) found.push({ user, stamp });
    }
    if (!upwards) older = page.older;
    const cursor = upwards ? page.items[0]?.stamp : older;
    if (cursor === undefined) break;
    range = beyond(range, cursor);
  }
  const sorted = upwards ? found.toReversed() : found;
  const [newest, oldest] = [sorted[0]?.stamp, sorted.at(-1)?.stamp];
  return { items: sorted.map(({ user }) => user), older, newest, oldest };
}
