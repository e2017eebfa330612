import { LRUCache } from "lru-cache";
import type { Ctx, RedisClient } from "../../context.ts";
import type { UserId } from "../ids.ts";

const checkMilliseconds = 60_000;
const usersKept = 50_000;

const memories = new WeakMap<RedisClient, LRUCache<UserId, true>>();

/**
 * Whether it is time to compare the first page of somebody's home with whom they follow. Home
 * timelines are kept in step when something changes; what can slip in is a tweet that was on its way
 * while its author was unfollowed. So one look a minute is enough to find and remove that.
 */
export function isDueForCheck(ctx: Ctx, user: UserId): boolean {
  const checked = checkedOf(ctx);
  if (checked.has(user)) return false;
  checked.set(user, true);
  return true;
}

/** Has the next look at home compared, as after an unfollow. */
export function askForCheck(ctx: Ctx, user: UserId): void {
  checkedOf(ctx).delete(user);
}

function checkedOf({ redis }: Ctx): LRUCache<UserId, true> {
  const found = memories.get(redis);
  const checked = found ?? new LRUCache({ max: usersKept, ttl: checkMilliseconds });
  memories.set(redis, checked);
  return checked;
}
