import type { Ctx } from "../../context.ts";
import { execEach } from "../../redis/exec.ts";
import { keys, mostOf, ttlOf } from "../../redis/keys.ts";
import { countInDay } from "../statistics.ts";
import { readerOf } from "../members.ts";
import { expiresAt, type Holder, withoutCachingNow } from "../scope.ts";
import { handleOf } from "../secrets.ts";
import { type Entry, toEntries } from "../page.ts";
import type { UserId } from "../ids.ts";
import type { User } from "./store.ts";

/** Prefix of the keys of the session store. */
export const { sessionPrefix } = keys;

const days = 24 * 60 * 60;
/** A session ends after this many seconds without use … */
export const idleSeconds = 30 * days;
/** … and after this many in any case. */
export const absoluteSeconds = ttlOf("sessions");

/** Oldest first. */
const readSessions = readerOf<UserId, readonly Entry[]>({
  key: keys.sessions,
  command: ["zrange", 0, -1, "WITHSCORES"],
  parse: (reply) => toEntries(reply as string[]),
  ends: true,
});

/** The session store's JSON of a session. */
export const readSessionData = readerOf<string, string | undefined>({
  key: (session) => sessionPrefix + session,
  command: ["get"],
  parse: (reply) => (typeof reply === "string" ? reply : undefined),
  ends: true,
});

/** A session counts while its user lists it, in the user's generation. Its age is by Redis' clock, as now() is. */
export async function openSession(ctx: Ctx, user: UserId, session: string): Promise<void> {
  const listed = keys.sessions(user);
  const [surplus] = await Promise.all([
    ctx.redis.addSession(listed, session, absoluteSeconds, mostOf("sessions")),
    countInDay(ctx, "people", { id: user, at: ctx.now() }),
  ]);
  await closeSessions(ctx, user, surplus);
}

/** Stamp of the sign-in; undefined if the session may not be used. */
export async function findOpenSession(ctx: Ctx, user: UserId, session: string) {
  const listed = await readSessions(ctx, user);
  const stamp = listed.find(({ id }) => id === session)?.stamp;
  if (stamp === undefined) return undefined;
  const end = stamp / 1000 + absoluteSeconds * 1000;
  expiresAt(end);
  return end <= withoutCachingNow(ctx) ? undefined : stamp;
}

/** A session as the holder of a right. */
export function holderOf(session: string): Holder {
  return `device:${handleOf(session)}`;
}

/** Whether it was not closed, in Redis at this moment. */
export async function isListed({ redis }: Ctx, user: UserId, session: string): Promise<boolean> {
  return (await redis.zscore(keys.sessions(user), session)) !== null;
}

/** Newest first; at most 50. */
export async function listSessions(ctx: Ctx, user: UserId): Promise<Entry[]> {
  return toEntries(await ctx.redis.zrange(keys.sessions(user), 0, "-1", "REV", "WITHSCORES"));
}

/** The sessions that are still open. `device`: the browser's User-Agent; empty without one. */
export async function listDevices(ctx: Ctx, user: Pick<User, "id" | "generation">) {
  const entries = await listSessions(ctx, user.id);
  const stored = await execEach(ctx.redis, entries, (entry) => ["get", sessionPrefix + entry.id]);
  return entries.flatMap((entry, index) => {
    const data = stored[index];
    if (typeof data !== "string") return [];
    const { device, generation = "" } = JSON.parse(data) as Record<string, unknown>;
    if (generation !== user.generation) return [];
    const name = typeof device === "string" ? device : "";
    return [{ session: entry.id, openedAt: entry.stamp, device: name }];
  });
}

/** Ends them for good, even if a slow request writes its session back: no more updates of open pages, and no pushes. */
export async function closeSessions(ctx: Ctx, user: UserId, sessions: string[]): Promise<void> {
  if (sessions.length === 0) return;
  // The list goes last: after an outage in between, no session is missing from the list.
  await execEach(ctx.redis, sessions, (session) => ["del", sessionPrefix + session]);
  await ctx.redis.zrem(keys.sessions(user), ...sessions);
  await ctx.redis.hdel(keys.push(user), ...sessions);
}

/** Ends all sessions of a user, but the one that is `kept`; log-ins that wait for a second factor too. */
export async function closeAllSessions(ctx: Ctx, user: UserId, kept?: string): Promise<void> {
  await ctx.redis.del(keys.pendingSecondFactors(user));
  const open = (await listSessions(ctx, user)).map(({ id }) => id);
  const ended = open.filter((session) => session !== kept);
  await closeSessions(ctx, user, ended);
}
