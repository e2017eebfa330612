import type { Ctx } from "../../context.ts";
import type { UserId } from "../ids.ts";
import { type Page, pageSize, type Range } from "../page.ts";
import type { Stamp } from "../stamp.ts";
import { hiddenFrom } from "./hidden.ts";
import type { Viewer } from "./relations.ts";
import { findUsers, type User } from "./store.ts";

/** One page asks so many times for others in the place of those who are hidden; then it ends short. */
const maxRounds = 20;

/** A page of a list of people: those whom the viewer may see, full unless the list ends. */
export async function readPeople(
  ctx: Ctx,
  { viewer, before }: { viewer: Viewer | undefined; before: Stamp | undefined },
  read: (range: Range) => Promise<Page<{ id: UserId }>>,
): Promise<Page<User>> {
  const people: User[] = [];
  let older = before;
  for (let round = 0; round < maxRounds && people.length < pageSize; round += 1) {
    const page = await read({ before: older, limit: pageSize - people.length });
    const ids = page.items.map(({ id }) => id);
    const isHidden = await hiddenFrom(ctx, viewer, ids);
    for (const [id, user] of await findUsers(ctx, ids)) if (!isHidden(id)) people.push(user);
    older = page.older;
    if (older === undefined) break;
  }
  return { items: people, older };
}
