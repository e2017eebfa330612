import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { Invalid, NotFound } from "../errors.ts";
import { formNumber } from "../form-digest.ts";
import { type ListId, parseListId, type UserId } from "../ids.ts";
import { type Stamp, stampAt } from "../stamp.ts";
import { cleanLine, fitsGraphemes, isBlank } from "../users/display-text.ts";

/** Max lists of a user. */
export const listsAtMost = 50;
/** In graphemes. */
const titleLimit = 50;

/** Which replies of members to other users a list shows: to all whom the owner follows, to members, or none. */
export const repliesPolicies = ["followed", "list", "none"] as const;
type RepliesPolicy = (typeof repliesPolicies)[number];

/** A named list of people with a timeline. Only its owner sees it. */
export interface UserList {
  id: ListId;
  title: string;
  replies: RepliesPolicy;
  createdAt: Stamp;
}

type Stored = Omit<UserList, "id">;

/** Title and replies as the owner asks for them; the title is untrusted. */
export type ListWish = Pick<UserList, "title" | "replies">;

/** All lists of a user, oldest first. */
export async function listsOf(ctx: Ctx, owner: UserId): Promise<UserList[]> {
  const stored = await ctx.redis.hgetall(keys.lists(owner));
  return Object.entries(stored)
    .flatMap(([id, json]) => toList(parseListId(id), json) ?? [])
    .toSorted((one, other) => one.createdAt - other.createdAt);
}

export async function findList(ctx: Ctx, owner: UserId, id: ListId): Promise<UserList | undefined> {
  return toList(id, await ctx.redis.hget(keys.lists(owner), id));
}

/** Throws NotFound, for a list of another user as well. */
export async function getList(ctx: Ctx, owner: UserId, raw: string): Promise<UserList> {
  const id = parseListId(raw);
  const list = id && (await findList(ctx, owner, id));
  if (list === undefined) throw new NotFound("list");
  return list;
}

/** `nonce` identifies the form: sent again as it was, it makes no second list. Throws Invalid, beside `title`. */
export async function makeList(
  ctx: Ctx,
  owner: UserId,
  { nonce, ...wish }: ListWish & { nonce?: string | undefined },
): Promise<UserList> {
  const id = formNumber(nonce, owner, wish.title, wish.replies) as ListId;
  const createdAt = stampAt(ctx.now(), id);
  const stored: Stored = { title: checkTitle(wish.title), replies: wish.replies, createdAt };
  const json = JSON.stringify(stored);
  const known = await ctx.redis.addField(keys.lists(owner), id, json, listsAtMost);
  if (known === null) throw new Invalid({ title: "list.many" });
  return { id, ...(JSON.parse(known) as Stored) };
}

/** Throws NotFound; Invalid, beside `title`. */
export async function changeList(
  ctx: Ctx,
  owner: UserId,
  id: ListId,
  wish: Partial<ListWish>,
): Promise<UserList> {
  const key = keys.lists(owner);
  const title = wish.title === undefined ? undefined : checkTitle(wish.title);
  for (;;) {
    const before = await ctx.redis.hget(key, id);
    const list = toList(id, before);
    if (before === null || list === undefined) throw new NotFound("list");
    const { replies = list.replies } = wish;
    const { createdAt } = list;
    const stored: Stored = { title: title ?? list.title, replies, createdAt };
    // A list that is being deleted is not made again.
    const isWritten = await ctx.redis.updateIf(key, id, before, id, JSON.stringify(stored));
    if (isWritten === 1) return { id, ...stored };
  }
}

/**
 * The list is the way to its members, so they go first, and again for those who were just added: who is added later
 * finds that the list is gone, see addToList. May run twice.
 */
export async function deleteList(ctx: Ctx, owner: UserId, id: ListId): Promise<void> {
  const members = keys.listMembers(owner, id);
  await ctx.redis.unlink(members);
  await ctx.redis.hdel(keys.lists(owner), id);
  await ctx.redis.unlink(members);
}

/** For erasing an account. */
export async function eraseLists(ctx: Ctx, owner: UserId): Promise<void> {
  for (const { id } of await listsOf(ctx, owner)) await deleteList(ctx, owner, id);
  await ctx.redis.unlink(keys.lists(owner));
}

function checkTitle(raw: string): string {
  const title = cleanLine(raw);
  if (isBlank(title)) throw new Invalid({ title: "list.empty" });
  if (!fitsGraphemes(title, titleLimit)) throw new Invalid({ title: "list.long" });
  return title;
}

function toList(id: ListId | undefined, json: string | null): UserList | undefined {
  if (id === undefined || json === null) return undefined;
  return { id, ...(JSON.parse(json) as Stored) };
}
