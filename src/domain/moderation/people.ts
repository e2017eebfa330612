import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { type UserId, userId } from "../ids.ts";
import { type Page, pageSize } from "../page.ts";
import { searchAllPeople, type FoundPeople } from "../search/find-people.ts";
import { findUserByName, findUsers, type User, toName } from "../users/store.ts";

/** Ids that are read in one round trip. */
const idsAtOnce = 100;
/** Max rounds for one page: where many accounts in a row are gone, the page stays short. */
const maxRounds = 10;

/**
 * All accounts, suspended and waiting ones too, the newest first, by their ids: there is no list of all. The
 * cursor is an id.
 */
export async function accountsPage(ctx: Ctx, before: number | undefined): Promise<Page<User>> {
  let next = before ?? Number((await ctx.redis.get(keys.userIds)) ?? 0) + 1;
  const items: User[] = [];
  for (let round = 0; round < maxRounds && next > 1 && items.length < pageSize; round += 1) {
    const ids = idsBelow(next);
    const users = await findUsers(ctx, ids);
    for (const id of ids) {
      if (items.length === pageSize) break;
      next = Number(id);
      const user = users.get(id);
      if (user !== undefined) items.push(user);
    }
  }
  return { items, older: next > 1 ? next : undefined };
}

function idsBelow(next: number): UserId[] {
  const count = Math.min(idsAtOnce, next - 1);
  return Array.from({ length: count }, (_, nth) => userId(next - 1 - nth));
}

/**
 * Accounts with this name, or whose name or full name begins with it: the exact name first. Suspended and
 * waiting ones are included. `next` continues; undefined at the end.
 */
export async function findAccounts(
  ctx: Ctx,
  typed: string,
  after: string | undefined,
): Promise<FoundPeople> {
  const name = toName(typed);
  const [named, found] = await Promise.all([
    findUserByName(ctx, name),
    searchAllPeople(ctx, name, after),
  ]);
  const others = found.people.filter(({ id }) => id !== named?.id);
  const first = named === undefined || after !== undefined ? [] : [named];
  return { people: [...first, ...others], next: found.next };
}
