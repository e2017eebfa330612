import type { Ctx } from "../../context.ts";
import { execEach } from "../../redis/exec.ts";
import { type FieldValues, hashCodec, inField } from "../../redis/hash-codec.ts";
import { keys } from "../../redis/keys.ts";
import type { Reading } from "../../redis/memory.ts";
import { noteId } from "../counters.ts";
import { required, Suspended } from "../errors.ts";
import { parseUserId, type TweetId, tweetId, type UserId, type Stamp } from "../ids.ts";
import { mapFields, type Profile } from "../profile-fields.ts";
import {
  type Audience,
  audiences,
  type MessageSenders,
  messageSenders,
  oneOf,
  type ReplyRight,
  replyRights,
} from "./choices.ts";

/** Given by an admin on /admin/people; empty for most users. */
const roles = ["", "moderator", "admin"] as const;
export type Role = (typeof roles)[number];

/** Colours of the pages; empty for those that the system asks for. */
export const themes = ["", "day", "night"] as const;
export type Theme = (typeof themes)[number];

export interface User extends Profile {
  id: UserId;
  /** As the user spells it; unique when folded. */
  name: string;
  /** Digest of the uploaded picture (see avatars.ts), or empty. */
  avatar: string;
  /** Upload and digests of the header picture (see pictures/header.ts), or empty. */
  header: string;
  /** Stamp and address of the website when its page was found to be the user's, see settings.ts; or empty. */
  verified: string;
  /** Tag of the language for pages; empty for the browser's language. */
  language: string;
  /** Empty for the system's theme. */
  theme: Theme;
  createdAt: Stamp;
  /** Only followers, whom the user has accepted, see what the user writes. */
  protected: boolean;
  /** Whom new tweets are for, and who may reply to them, unless the user says otherwise. */
  audience: Audience;
  repliesFrom: ReplyRight;
  messagesFrom: MessageSenders;
  /** Whether pushes and mails of messages have their text. */
  messageTexts: boolean;
  role: Role;
  /** Nothing of a suspended user is shown, see suspension.ts. True for applicants, too. */
  suspended: boolean;
  /** Signed up, and waits until an admin accepts them; see community/join.ts. */
  waiting: boolean;
  /**
   * Sessions, tokens and codes carry the generation in which they were made, and are valid in that one only. A new
   * generation ends all of them at once, including those that are just being made. Empty before the first change.
   */
  generation: string;
  /** The tweet on top of the profile; it may be gone. */
  pinned: TweetId | undefined;
  /** Stamp of the newest notification that the user has seen; 0 before the first. */
  notificationsRead: Stamp;
  /** Stamp of the newest item of home that the user has marked as read. */
  homeRead: Stamp;
  /** Notifications up to this stamp were cleared by the user. */
  notificationsCleared: Stamp;
}

/** How each property is stored in a user's hash. The hash of the password is not among them. */
const codec = hashCodec<Omit<User, "id">>({
  name: inField("name", orEmpty),
  ...mapFields((name) => inField(name, orEmpty)),
  fullname: { fields: ["fullname", "name"], read: (fullname, name = "") => fullname ?? name },
  avatar: inField("avatar", orEmpty),
  header: inField("header", orEmpty),
  verified: inField("website_verified", orEmpty),
  language: inField("language", orEmpty),
  theme: inField("theme", oneOf(themes)),
  createdAt: inField("created_at", Number),
  protected: inField("protected", (flag) => flag === "1"),
  audience: inField("audience", oneOf(audiences)),
  repliesFrom: inField("replies_from", oneOf(replyRights)),
  messagesFrom: inField("messages_from", oneOf(messageSenders)),
  messageTexts: inField("message_texts", (flag) => flag === "1"),
  role: inField("role", oneOf(roles)),
  suspended: {
    fields: ["suspended_at", "waiting_at"],
    read: (suspendedAt, waitingAt) => suspendedAt !== undefined || waitingAt !== undefined,
  },
  waiting: inField("waiting_at", (stamp) => stamp !== undefined),
  generation: inField("generation", orEmpty),
  pinned: inField("pinned", (id) => (id === undefined ? undefined : tweetId(id))),
  notificationsRead: inField("notifications_read", (stamp = "0") => Number(stamp)),
  homeRead: inField("home_read", (stamp = "0") => Number(stamp)),
  notificationsCleared: inField("notifications_cleared", (stamp = "0") => Number(stamp)),
});

function orEmpty(text = ""): string {
  return text;
}

/** The fields that are read from a user's hash. */
const userFields = [...codec.fields, "deleted_at"];

/** Undefined for a sign-up under way, and for a user who is being erased. */
function toUser(id: UserId, values: FieldValues): User | undefined {
  if (typeof values.at(-1) === "string") return undefined;
  const user = codec.decode({ id }, values);
  return user.name === "" || Number.isNaN(user.createdAt) ? undefined : user;
}

/** A sign-up that was not finished expires within a day. */
const youngMilliseconds = 25 * 60 * 60 * 1000;

/** Null for users who are gone: what answers them is kept, too. `ends`: unfinished sign-ups and refused applicants expire. */
const userReading: Reading<UserId, User | null> = {
  key: keys.user,
  command: ["hmget", ...userFields],
  parse: (reply, id) => toUser(id, reply as FieldValues) ?? null,
  ends: (user) =>
    user !== null && (user.waiting || Date.now() - user.createdAt / 1000 < youngMilliseconds),
};

/** Those of `ids` who exist, in the same order. One round trip, or none. */
export async function findUsers(ctx: Ctx, ids: Iterable<UserId>): Promise<Map<UserId, User>> {
  const read = ctx.memory.read(ctx.redis, userReading, [...new Set(ids)]);
  const records = read instanceof Promise ? await read : read;
  const users = new Map<UserId, User>();
  for (const user of records) {
    if (user === null) continue;
    noteId(ctx, "users", user.id);
    users.set(user.id, user);
  }
  return users;
}

export async function findUser(ctx: Ctx, id: UserId): Promise<User | undefined> {
  return (await findUsers(ctx, [id])).get(id);
}

/** The user in Redis at this moment: findUser may be some milliseconds behind a write of another process. */
export async function readUser({ redis }: Ctx, id: UserId): Promise<User | undefined> {
  return toUser(id, await redis.hmget(keys.user(id), ...userFields));
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
  const user = await getAnyUserByName(ctx, name);
  if (user.suspended) throw new Suspended("user");
  return user;
}

/** Including suspended users, as for unfollowing them. Throws NotFound. */
export async function getAnyUserByName(ctx: Ctx, name: string): Promise<User> {
  return required(await findUserByName(ctx, name), "user");
}

export interface MentionedUser {
  id: UserId;
  /** Folded. */
  name: string;
}

/** The users with these folded names; two round trips, or none. */
export async function findMentioned(ctx: Ctx, names: string[]): Promise<MentionedUser[]> {
  const replies = await execEach(ctx.redis, names, (name) => ["get", keys.username(name)]);
  const named = names.flatMap((name, index) => {
    const id = parseUserId(String(replies[index]));
    return id === undefined ? [] : [{ id, name }];
  });
  const ids = named.map(({ id }) => id);
  const users = await findUsers(ctx, ids);
  return named.filter(({ id }) => users.has(id));
}

/** Whether the name is taken now; only a claim is final. */
export async function isNameTaken(ctx: Ctx, name: string): Promise<boolean> {
  return (await ctx.redis.exists(keys.username(foldName(name)))) === 1;
}

/** `[a-z0-9_]{1,15}`, ignoring case. */
export function isName(name: string): boolean {
  return /^[a-z0-9_]{1,15}$/i.test(name);
}

/** A name as it is typed into a form: with or without an @. */
export function toName(typed: string): string {
  return typed.trim().replace(/^@/, "");
}

/** The form in which names are compared and claimed. */
export function foldName(name: string): string {
  return name.toLowerCase();
}
