import type { Ctx } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import type { Reading } from "../../redis/memory.ts";
import { noteId } from "../counters.ts";
import { NotFound, Suspended } from "../errors.ts";
import { parseUserId, type TweetId, tweetId, type UserId, userId } from "../ids.ts";
import type { Stamp } from "../stamp.ts";
import { foldName, isName } from "./names.ts";

export interface User {
  id: UserId;
  /** As its owner spells it; unique when folded. */
  name: string;
  fullname: string;
  bio: string;
  /** An http(s) address as its owner spells it, or empty. */
  website: string;
  /** Digest of the picture that they uploaded (see avatars.ts), or empty. */
  avatar: string;
  /** The tag of the language in which they read the site; empty for what their browser asks for. */
  language: string;
  createdAt: Stamp;
  /** Nobody is to see anything of theirs, see suspension.ts. */
  suspended: boolean;
  /**
   * Sessions, tokens and codes carry the one in which they were made, and count in that one only: a new
   * one ends all of them at once, those too that are being made just then. Empty before the first.
   */
  generation: string;
  /** The tweet on top of their profile; it may be gone. */
  pinned: TweetId | undefined;
  /** Stamp of the newest notification that this person has seen; 0 before the first. */
  notificationsRead: Stamp;
  /** Of what was done up to this stamp they want to be told nothing any more. */
  notificationsCleared: Stamp;
}

/** All of a user's hash that anybody may see; the password's hash stays where it is. */
const publicFields = [
  "name",
  "fullname",
  "bio",
  "website",
  "avatar",
  "language",
  "created_at",
  "generation",
  "pinned",
  "notifications_read",
  "notifications_cleared",
  "suspended_at",
  "deleted_at",
] as const;

/** A sign-up that was not finished ends by itself. */
const userReading: Reading<UserId, User | undefined> = {
  key: keys.user,
  command: ["hmget", ...publicFields],
  parse: (reply, id) => toUser(id, reply as (string | null)[]),
  ends: true,
};

/** Those of `ids` who exist, in their order and in one round trip, or none. */
export async function findUsers(ctx: Ctx, ids: Iterable<UserId>): Promise<Map<UserId, User>> {
  const found = await ctx.memory.read(ctx.redis, userReading, [...new Set(ids)]);
  const users = new Map<UserId, User>();
  for (const user of found) {
    if (user === undefined) continue;
    noteId(ctx, "users", user.id);
    users.set(user.id, user);
  }
  return users;
}

export async function findUser(ctx: Ctx, id: UserId): Promise<User | undefined> {
  return (await findUsers(ctx, [id])).get(id);
}

/** By name in any case. */
export async function findUserByName(ctx: Ctx, name: string): Promise<User | undefined> {
  if (!isName(name)) return undefined;
  const id = await holderOf(ctx, name);
  return id === undefined ? undefined : await findUser(ctx, id);
}

/** Whose name it is or was; of a sign-up that is under way, nobody's. */
export async function holderOf(ctx: Ctx, name: string): Promise<UserId | undefined> {
  return parseUserId((await ctx.redis.get(keys.username(foldName(name)))) ?? "");
}

/** For good: a sign-up that crashed is kept for a while only. */
export async function keepUser(ctx: Ctx, id: UserId): Promise<void> {
  await ctx.redis.persist(keys.user(id));
}

/** Somebody whom people may see. Throws NotFound, Suspended. */
export async function getUserByName(ctx: Ctx, name: string): Promise<User> {
  const user = await getAnyByName(ctx, name);
  if (user.suspended) throw new Suspended("user");
  return user;
}

/** Suspended or not, as for letting go of them. Throws NotFound. */
export async function getAnyByName(ctx: Ctx, name: string): Promise<User> {
  const user = await findUserByName(ctx, name);
  if (user === undefined) throw new NotFound("user");
  return user;
}

/** Somebody whom a text names. */
export interface Named {
  id: UserId;
  /** Folded. */
  name: string;
}

/** Those of some folded names that somebody has; two round trips, or none. */
export async function findNamed(ctx: Ctx, names: string[]): Promise<Named[]> {
  const replies = await exec(
    ctx.redis,
    names.map((name) => ["get", keys.username(name)]),
  );
  const named = names.flatMap((name, index) => {
    const id = parseUserId(String(replies[index]));
    return id === undefined ? [] : [{ id, name }];
  });
  const users = await findUsers(
    ctx,
    named.map(({ id }) => id),
  );
  return named.filter(({ id }) => users.has(id));
}

/** Whether the name is taken just now; a claim decides in the end. */
export async function isNameTaken(ctx: Ctx, name: string): Promise<boolean> {
  return (await ctx.redis.exists(keys.username(foldName(name)))) === 1;
}

/** The newest people but for the first `offset`, for discovery; at most 1,000 are known. */
export async function newestUsers(ctx: Ctx, limit: number, offset = 0): Promise<User[]> {
  const last = String(offset + limit - 1);
  const ids = await ctx.redis.zrange(keys.newestUsers, offset, last, "REV");
  const users = await findUsers(ctx, ids.map(userId));
  return [...users.values()];
}

/** The stored bcrypt hash, and the generation that its password lets one into. */
export interface Lock {
  hash: string;
  generation: string;
}

/** As it is this moment; undefined where there is no such user. */
export async function findLock(ctx: Ctx, id: UserId): Promise<Lock | undefined> {
  const fields = ["pass", "generation", "deleted_at"];
  const [hash, generation, deletedAt] = await ctx.redis.hmget(keys.user(id), ...fields);
  if (typeof hash !== "string" || typeof deletedAt === "string") return undefined;
  return { hash, generation: generation ?? "" };
}

function toUser(id: UserId, values: (string | null)[]): User | undefined {
  const read = (field: (typeof publicFields)[number]) =>
    values[publicFields.indexOf(field)] ?? undefined;
  const name = read("name");
  const createdAt = read("created_at");
  if (name === undefined || createdAt === undefined) return undefined;
  // Somebody who is being erased is nobody at once.
  if (read("deleted_at") !== undefined) return undefined;
  const pinned = read("pinned");
  return {
    id,
    name,
    fullname: read("fullname") ?? name,
    bio: read("bio") ?? "",
    website: read("website") ?? "",
    avatar: read("avatar") ?? "",
    language: read("language") ?? "",
    createdAt: Number(createdAt),
    generation: read("generation") ?? "",
    pinned: pinned === undefined ? undefined : tweetId(pinned),
    notificationsRead: Number(read("notifications_read") ?? 0),
    notificationsCleared: Number(read("notifications_cleared") ?? 0),
    suspended: read("suspended_at") !== undefined,
  };
}
