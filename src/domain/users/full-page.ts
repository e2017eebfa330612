import type { Ctx } from "../../context.ts";
import { userId } from "../ids.ts";
import { cut, type Entry, type Page, pageSize, type Range } from "../page.ts";
import type { Stamp } from "../stamp.ts";
import { findUsers, type User } from "./store.ts";

/** Parts of a list that are read for one page. */
const readsAtMost = 20;

/**
 * A page of a list that may name people who are gone, without these: full unless the list ends, or
 * a thousand of them follow each other. `older` says whether there may be more.
 */
export async function fullPage(
  ctx: Ctx,
  read: (range: Range) => Promise<Page<Entry>>,
  before: Stamp | undefined,
): Promise<Page<User>> {
  const found: { user: User; stamp: Stamp }[] = [];
  let older = before;
  for (let reads = 0; reads < readsAtMost; reads += 1) {
    const page = await read({ before: older, limit: pageSize });
    const users = await findUsers(
      ctx,
      page.items.map(({ id }) => userId(id)),
    );
    for (const { id, stamp } of page.items) {
      const user = users.get(userId(id));
      if (user !== undefined) found.push({ user, stamp });
    }
    ({ older } = page);
    if (older === undefined || found.length >= pageSize) break;
  }
  const page = cut(found, pageSize, ({ stamp }) => stamp);
  return { items: page.items.map(({ user }) => user), older: page.older ?? older };
}
