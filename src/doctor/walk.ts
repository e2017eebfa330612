import { memberForms } from "../redis/key-rows.ts";
import type { RedisClient } from "../redis/redis-client.ts";
import { inBatches } from "../domain/concurrency-limit.ts";
import { primariesOf, scanNode } from "../redis/servers.ts";
import { eachTarget, type Run, type Target } from "./run.ts";
import { type Item, recognize, rowOf } from "./items.ts";

/** Keys per step, about. */
const keysAtOnce = 2000;
/** Keys whose members are read at a time. */
const listsAtOnce = 100;
/** Members read from one key at a time; small ones come whole. */
const perReply = 500;
/** Members per batch, about. */
const membersAtOnce = 1000;

/** Keys of one step; `unknown` are not Suzume's. */
export interface Found {
  known: Item[];
  unknown: Target[];
}

/** All keys, in batches, of one primary after the other; a key may come twice. */
export async function* scanKeys(redis: RedisClient): AsyncGenerator<Found> {
  for (const node of primariesOf(redis))
    for await (const names of scanNode(node, keysAtOnce)) {
      const step: Found = { known: [], unknown: [] };
      for (const key of names) {
        const item = recognize(key);
        if (item === undefined) step.unknown.push({ key });
        else step.known.push(item);
      }
      yield step;
    }
}

/** Approximate number of keys. */
export async function countKeys(redis: RedisClient): Promise<number> {
  const sizes = await Promise.all(primariesOf(redis).map((node) => node.dbsize()));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Number of users who have keys of their own, and of those among them who have no account. */
export async function countUsers(redis: RedisClient): Promise<{ all: number; lost: number }> {
  /** By the number of a user: millions of these are in memory, without their texts. */
  const hasAccount = new Map<number, boolean>();
  let lost = 0;
  for await (const { known } of scanKeys(redis))
    for (const { name, owner } of known) {
      const { onErase = "expires" } = rowOf(name);
      const user = Number(owner);
      if (name === "user") hasAccount.set(user, true);
      else if (onErase !== "expires" && !hasAccount.has(user)) hasAccount.set(user, false);
    }
  for (const isThere of hasAccount.values()) if (!isThere) lost += 1;
  return { all: hasAccount.size, lost };
}

/**
 * All members of sorted sets and fields of hashes, in batches; a member may come twice. Members of a wrong
 * form are suspected and left out; floors are left out.
 */
export async function* membersOf(run: Run, items: Item[]): AsyncGenerator<Item[]> {
  for (const lists of inBatches(items, listsAtOnce))
    for await (const members of walk(run, lists)) {
      const good: Item[] = [];
      const bad: Item[] = [];
      for (const member of members) {
        const { pattern, saw } = memberForms[rowOf(member.name).members ?? "any"];
        if (pattern.test(member.id)) {
          good.push(member);
          run.saw(saw, member.id.split(":", 1)[0]);
        } else if (member.id !== "floor") bad.push(member);
      }
      await run.look(malformed, bad);
      yield good;
    }
}

async function* walk(run: Run, lists: Item[]): AsyncGenerator<Item[]> {
  let open = lists.map((of) => ({ of, cursor: "0" }));
  let batch: Item[] = [];
  while (open.length > 0) {
    const replies = await Promise.all(
      open.map(async ({ of, cursor }) => {
        const scan = rowOf(of.name).type === "hash" ? "hscan" : "zscan";
        return { of, reply: await run.ctx.redis[scan](of.key, cursor, "COUNT", perReply) };
      }),
    );
    open = [];
    for (const { of, reply } of replies) {
      const [cursor, flat] = reply;
      for (let at = 0; at < flat.length; at += 2)
        batch.push({ ...of, id: flat[at] ?? "", value: flat[at + 1] ?? "" });
      if (cursor !== "0") open.push({ of, cursor });
      if (batch.length < membersAtOnce) continue;
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}

const malformed = eachTarget({
  read: async (_, member: Item) => member,
  faults: { "malformed-member": ({ id }) => `has ${JSON.stringify(id.slice(0, 100))}` },
});

/** A key or member as it is now; undefined if it is gone. Other targets are returned as they are. */
export async function reread(run: Run, target: Target | Item): Promise<Target | Item | undefined> {
  if (!("owner" in target)) return target;
  const { redis } = run.ctx;
  const { key, name, id } = target;
  if (id === "") return (await redis.exists(key)) === 1 ? target : undefined;
  const value = await redis[rowOf(name).type === "hash" ? "hget" : "zscore"](key, id);
  return value === null ? undefined : { ...target, value };
}
