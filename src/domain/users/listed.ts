import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { type UserId, userId, type Stamp } from "../ids.ts";
import type { Entry } from "../page.ts";
import { findUsers, type User } from "./store.ts";

/** A user in a list, since a stamp. */
export interface ListedUser {
  user: User;
  stamp: Stamp;
}

/** The users of these entries who exist, in the same order. */
export async function findListedUsers(ctx: Ctx, entries: Entry[]): Promise<ListedUser[]> {
  const ids = entries.map(({ id }) => userId(id));
  const users = await findUsers(ctx, ids);
  return entries.flatMap(({ stamp }, index) => {
    const user = users.get(ids[index] as UserId);
    return user === undefined ? [] : [{ user, stamp }];
  });
}

/** The newest users after the first `offset`; at most 1,000 are known. */
export async function newestUsers(ctx: Ctx, limit: number, offset = 0): Promise<User[]> {
  const last = String(offset + limit - 1);
  const ids = await ctx.redis.zrange(keys.newestUsers, offset, last, "REV");
  const users = await findUsers(ctx, ids.map(userId));
  return [...users.values()];
}
