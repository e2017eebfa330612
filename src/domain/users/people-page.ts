import type { Ctx } from "../../context.ts";
import { type UserId, userId } from "../ids.ts";
import { type Page, pageSize, type Range } from "../page.ts";
import type { Stamp } from "../stamp.ts";
import { hiddenFrom } from "./hidden.ts";
import type { Viewer } from "./relations.ts";
import { findUsers, type User } from "./store.ts";

/** One page asks so many times for others in the place of those who are left out; then it ends short. */
const maxRounds = 20;

type Read = (range: Range) => Promise<Page<{ id: string }>>;

/** A page of a list of people: those whom the viewer may see, full unless the list ends. */
export async function readPeople(
  ctx: Ctx,
  { viewer, before }: { viewer: Viewer | undefined; before: Stamp | undefined },
  read: Read,
): Promise<Page<User>> {
  return await fillPage(ctx, before, read, (ids) => hiddenFrom(ctx, viewer, ids));
}

/** The same of a list of one's own, which hides nobody who is still there. */
export async function readOwnPeople(
  ctx: Ctx,
  before: Stamp | undefined,
  read: Read,
): Promise<Page<User>> {
  return await fillPage(ctx, before, read, async () => () => false);
}

async function fillPage(
  ctx: Ctx,
  before: Stamp | undefined,
  read: Read,
  hidden: (ids: UserId[]) => Promise<(id: UserId) => boolean>,
): Promise<Page<User>> {
  const people: User[] = [];
  let older = before;
  for (let round = 0; round < maxRounds && people.length < pageSize; round += 1) {
    const page = await read({ before: older, limit: pageSize - people.length });
    const ids = page.items.map(({ id }) => userId(id));
    const isHidden = await hidden(ids);
    for (const [id, user] of await findUsers(ctx, ids)) if (!isHidden(id)) people.push(user);
    older = page.older;
    if (older === undefined) break;
  }
  return { items: people, older };
}
