import { LRUCache } from "lru-cache";
import type { Ctx, RedisClient } from "../../context.ts";
import { noteId } from "../counters.ts";
import type { UserId } from "../ids.ts";
import type { User } from "./store.ts";

/** Others see a change of profile within 2 s; this leaves time for the page itself. */
const freshMilliseconds = 1500;
/** At about 500 bytes each. */
const usersKept = 20_000;

/** Whatever of a person can change and be seen by others. */
const shown = ["name", "fullname", "bio", "website", "avatar"] as const;

const memories = new WeakMap<RedisClient, LRUCache<UserId, User>>();

/**
 * What this process knows of people, for lists in which others appear. One memory for each
 * connection, so that two contexts in one process are as far apart as two processes.
 */
export function rememberedUsers({ redis }: Ctx): LRUCache<UserId, User> {
  const known = memories.get(redis);
  if (known !== undefined) return known;
  const memory = new LRUCache<UserId, User>({
    max: usersKept,
    ttl: freshMilliseconds,
    // So that somebody who has not changed can stay the same object, see rememberUser.
    allowStale: true,
    noDeleteOnStaleGet: true,
  });
  memories.set(redis, memory);
  return memory;
}

/** Keeps the object that is known already if nothing has changed: pieces of pages hang on it. */
export function rememberUser(ctx: Ctx, user: User): User {
  noteId(ctx, "users", user.id);
  const memory = rememberedUsers(ctx);
  const known = memory.peek(user.id);
  // What pieces of HTML do not show may have changed all the same.
  const kept = known !== undefined && isSame(known, user) ? Object.assign(known, user) : user;
  memory.set(user.id, kept);
  return kept;
}

function isSame(one: User, other: User): boolean {
  return shown.every((field) => one[field] === other[field]);
}
