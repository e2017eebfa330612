import type { Ctx } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { digestOf, newSecret } from "../apps/store.ts";
import { parseUserId } from "../ids.ts";
import type { Admission } from "../users/log-in.ts";

/** TTL of a half-open log-in: the password was right, the second factor is asked for. */
export const halfOpenSeconds = 600;
/** Max half-open log-ins of a user; the oldest are dropped. */
const halfOpenKept = 10;

export interface HalfOpen {
  admission: Admission;
  /** Where the log-in leads. */
  next: string;
  field: string;
}

interface Stored {
  /** See User.generation. */
  generation: string;
  next: string;
  /** Milliseconds. */
  until: number;
}

/** A token for the second page of the log-in, and for nothing else. */
export async function beginHalfOpen(
  ctx: Ctx,
  { user, generation }: Admission,
  next: string,
): Promise<string> {
  const token = `${user}.${newSecret()}`;
  const key = keys.halfOpen(user);
  const stored: Stored = { generation, next, until: ctx.now() + halfOpenSeconds * 1000 };
  await exec(ctx.redis, [
    ["hset", key, digestOf(token), JSON.stringify(stored)],
    ["expire", key, halfOpenSeconds],
  ]);
  await dropStale(ctx, key);
  return token;
}

async function dropStale(ctx: Ctx, key: string): Promise<void> {
  const all = Object.entries(await ctx.redis.hgetall(key))
    .map(([field, text]) => ({ field, until: (JSON.parse(text) as Stored).until }))
    .toSorted((one, other) => other.until - one.until);
  const stale = all.filter(({ until }, index) => index >= halfOpenKept || until <= ctx.now());
  if (stale.length > 0) await ctx.redis.hdel(key, ...stale.map(({ field }) => field));
}

/** Undefined if the token is unknown, used or too old, or if all log-ins of the user were ended. */
export async function findHalfOpen(ctx: Ctx, token: string): Promise<HalfOpen | undefined> {
  const [, holder = ""] = /^(\d{1,15})\.[\w-]{43}$/.exec(token) ?? [];
  const user = parseUserId(holder);
  if (user === undefined) return undefined;
  const field = digestOf(token);
  const text = await ctx.redis.hget(keys.halfOpen(user), field);
  if (text === null) return undefined;
  const { generation, next, until } = JSON.parse(text) as Stored;
  return until > ctx.now() ? { admission: { user, generation }, next, field } : undefined;
}

/** Uses it up. False if another request did so before, or if it was ended meanwhile. */
export async function useHalfOpen(
  ctx: Ctx,
  { admission, field }: Pick<HalfOpen, "admission" | "field">,
): Promise<boolean> {
  return (await ctx.redis.hdel(keys.halfOpen(admission.user), field)) === 1;
}
