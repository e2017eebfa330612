import { LRUCache } from "lru-cache";
import type { Ctx, RedisClient } from "../../context.ts";
import type { UserId } from "../ids.ts";
import type { Stamp } from "../stamp.ts";
import type { User } from "../users/store.ts";
import { raiseNotificationsRead } from "../users/versions.ts";

/** What was counted, and for which state of the person. */
interface Counted {
  state: string;
  count: number;
}

const peopleKept = 20_000;
/** What no state tells (somebody left, a muted word is audible again) shows after this time. */
const heldMilliseconds = 60_000;

const memories = new WeakMap<RedisClient, LRUCache<UserId, Counted>>();

/**
 * How many unread notifications somebody has, as `count` found it when it last had to look: it is
 * told the stamp up to which they have read. All that could change the number changes a field of the
 * person, which was read with them.
 */
export async function knownUnread(
  ctx: Ctx,
  { id, version, notified, notificationsRead }: User,
  count: (read: Stamp) => Promise<number>,
): Promise<number> {
  const memory = countsOf(ctx);
  const state = `${version} ${notified} ${notificationsRead}`;
  const known = memory.get(id);
  if (known?.state === state) return known.count;
  const fresh = await count(notificationsRead);
  memory.set(id, { state, count: fresh });
  return fresh;
}

/** Remembers that somebody has seen all up to `stamp`. Writes nothing if they had before. */
export async function markRead(ctx: Ctx, user: User, stamp: Stamp): Promise<void> {
  if (stamp > user.notificationsRead) await raiseNotificationsRead(ctx, user.id, stamp);
}

function countsOf({ redis }: Ctx): LRUCache<UserId, Counted> {
  const known = memories.get(redis);
  const memory = known ?? new LRUCache({ max: peopleKept, ttl: heldMilliseconds });
  memories.set(redis, memory);
  return memory;
}
