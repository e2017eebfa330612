import type { Ctx } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { type Entry, toEntries } from "../page.ts";
import type { UserId } from "../ids.ts";
import { type Stamp, stampAt } from "../stamp.ts";

/** Where the session store keeps a browser's session. */
export const { sessionPrefix } = keys;
/** Where log-in attempts are counted. */
export const { ratePrefix } = keys;

const days = 24 * 60 * 60;
/** A session ends after this many seconds unused … */
export const idleSeconds = 30 * days;
/** … and after this many in any case. */
export const absoluteSeconds = 90 * days;
/** Signing in once more ends the oldest. */
const sessionsKept = 50;

/** A session counts only while it is listed under its user. */
export async function openSession(ctx: Ctx, user: UserId, session: string): Promise<void> {
  const listed = keys.sessions(user);
  await exec(ctx.redis, [
    ["zadd", listed, stampAt(ctx.now(), user), session],
    ["expire", listed, absoluteSeconds],
  ]);
  const surplus = await ctx.redis.zrange(listed, 0, String(-sessionsKept - 1));
  await closeSessions(ctx, user, surplus);
}

/** The stamp of signing in, as long as that session may be used. */
export async function findOpenSession(
  ctx: Ctx,
  user: UserId,
  session: string,
): Promise<Stamp | undefined> {
  const stamp = await ctx.redis.zscore(keys.sessions(user), session);
  if (stamp === null) return undefined;
  const age = ctx.now() / 1000 - Number(stamp) / 1e6;
  return age < absoluteSeconds ? Number(stamp) : undefined;
}

/** Newest first; at most 50. */
export async function listSessions(ctx: Ctx, user: UserId): Promise<Entry[]> {
  return toEntries(await ctx.redis.zrange(keys.sessions(user), 0, "-1", "REV", "WITHSCORES"));
}

export interface DeviceSession {
  session: string;
  openedAt: Stamp;
  /** What the browser called itself; empty where it said nothing. */
  device: string;
}

/** The sessions that are still alive, with their devices. */
export async function listDevices(ctx: Ctx, user: UserId): Promise<DeviceSession[]> {
  const entries = await listSessions(ctx, user);
  const stored = await exec(
    ctx.redis,
    entries.map((entry) => ["get", sessionPrefix + entry.id]),
  );
  return entries.flatMap((entry, index) => {
    const data = stored[index];
    if (typeof data !== "string") return [];
    const { device } = JSON.parse(data) as { device?: unknown };
    const name = typeof device === "string" ? device : "";
    return [{ session: entry.id, openedAt: entry.stamp, device: name }];
  });
}

/** Ends them for good: a slow request that writes its session back does not revive it. */
export async function closeSessions(ctx: Ctx, user: UserId, sessions: string[]): Promise<void> {
  if (sessions.length === 0) return;
  await ctx.redis.zrem(keys.sessions(user), ...sessions);
  await exec(
    ctx.redis,
    sessions.map((session) => ["del", sessionPrefix + session]),
  );
}

export async function closeOtherSessions(ctx: Ctx, user: UserId, kept: string): Promise<void> {
  const all = await listSessions(ctx, user);
  await closeSessions(
    ctx,
    user,
    all.map((entry) => entry.id).filter((session) => session !== kept),
  );
}
