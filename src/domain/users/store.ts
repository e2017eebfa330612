import type { Ctx } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import type { Reading } from "../../redis/memory.ts";
import { noteId } from "../counters.ts";
import { NotFound, Suspended } from "../errors.ts";
import { parseUserId, type TweetId, tweetId, type UserId, userId } from "../ids.ts";
import type { Stamp } from "../stamp.ts";
import { foldName, isName } from "./names.ts";
import { type Role, roles } from "./roles.ts";

export interface User {
  id: UserId;
  /** As the user spells it; unique when folded. */
  name: string;
  fullname: string;
  bio: string;
  /** An http(s) address as the user spells it, or empty. */
  website: string;
  /** Digest of the uploaded picture (see avatars.ts), or empty. */
  avatar: string;
  /** Tag of the language for pages; empty for the browser's language. */
  language: string;
  createdAt: Stamp;
  role: Role;
  /** Nothing of a suspended user is shown, see suspension.ts. */
  suspended: boolean;
  /**
   * Sessions, tokens and codes carry the generation in which they were made, and are valid in that one only. A
   * new generation ends all of them at once, including those that are just being made. Empty before the first
   * change.
   */
  generation: string;
  /** The tweet on top of the profile; it may be gone. */
  pinned: TweetId | undefined;
  /** Stamp of the newest notification that the user has seen; 0 before the first. */
  notificationsRead: Stamp;
  /** Notifications up to this stamp were cleared by the user. */
  notificationsCleared: Stamp;
}

/** All fields that may be shown; the hash of the password is not among them. */
const publicFields = [
  "name",
  "fullname",
  "bio",
  "website",
  "avatar",
  "language",
  "created_at",
  "generation",
  "role",
  "pinned",
  "notifications_read",
  "notifications_cleared",
  "suspended_at",
  "deleted_at",
] as const;

/** `ends`: an unfinished sign-up expires. */
const userReading: Reading<UserId, User | undefined> = {
  key: keys.user,
  command: ["hmget", ...publicFields],
  parse: (reply, id) => toUser(id, reply as (string | null)[]),
  ends: true,
};

/** Those of `ids` who exist, in the same order. One round trip, or none. */
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

/** Ignores case. */
export async function findUserByName(ctx: Ctx, name: string): Promise<User | undefined> {
  if (!isName(name)) return undefined;
  const id = await holderOf(ctx, name);
  return id === undefined ? undefined : await findUser(ctx, id);
}

/** The user who has or had this name; undefined while a sign-up is under way. */
export async function holderOf(ctx: Ctx, name: string): Promise<UserId | undefined> {
  return parseUserId((await ctx.redis.get(keys.username(foldName(name)))) ?? "");
}

/** Removes the TTL, which a crashed sign-up would leave. */
export async function keepUser(ctx: Ctx, id: UserId): Promise<void> {
  await ctx.redis.persist(keys.user(id));
}

/** A user who may be shown. Throws NotFound, Suspended. */
export async function getUserByName(ctx: Ctx, name: string): Promise<User> {
  const user = await getAnyByName(ctx, name);
  if (user.suspended) throw new Suspended("user");
  return user;
}

/** Including suspended users, as for unfollowing them. Throws NotFound. */
export async function getAnyByName(ctx: Ctx, name: string): Promise<User> {
  const user = await findUserByName(ctx, name);
  if (user === undefined) throw new NotFound("user");
  return user;
}

/** A user mentioned in a text. */
export interface Named {
  id: UserId;
  /** Folded. */
  name: string;
}

/** The users with these folded names; two round trips, or none. */
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

/** Whether the name is taken now; only a claim is final. */
export async function isNameTaken(ctx: Ctx, name: string): Promise<boolean> {
  return (await ctx.redis.exists(keys.username(foldName(name)))) === 1;
}

/** The newest users after the first `offset`; at most 1,000 are known. */
export async function newestUsers(ctx: Ctx, limit: number, offset = 0): Promise<User[]> {
  const last = String(offset + limit - 1);
  const ids = await ctx.redis.zrange(keys.newestUsers, offset, last, "REV");
  const users = await findUsers(ctx, ids.map(userId));
  return [...users.values()];
}

/** The stored bcrypt hash, and the generation of sessions that its password opens. */
export interface Credentials {
  hash: string;
  generation: string;
}

/** The current one; undefined if there is no such user. */
export async function findCredentials(ctx: Ctx, id: UserId): Promise<Credentials | undefined> {
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
  // Readers treat a user who is being erased as gone.
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
    role: roles.find((role) => role === read("role")) ?? "",
    pinned: pinned === undefined ? undefined : tweetId(pinned),
    notificationsRead: Number(read("notifications_read") ?? 0),
    notificationsCleared: Number(read("notifications_cleared") ?? 0),
    suspended: read("suspended_at") !== undefined,
  };
}
