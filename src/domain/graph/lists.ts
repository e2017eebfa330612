import type { Ctx } from "../../context.ts";
import { JsonRecords } from "../../redis/json-records.ts";
import { keys, mostOf } from "../../redis/keys.ts";
import { Invalid, NotFound } from "../errors.ts";
import { formNumber } from "../form-digest.ts";
import { type ListId, parseListId, type UserId } from "../ids.ts";
import { type Stamp, stampAt } from "../stamp.ts";
import { cleanLine, fitsGraphemes, isBlank } from "../users/display-text.ts";

/** Max lists of a user. */
export const listsAtMost = mostOf("lists");
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
export type ListInput = Pick<UserList, "title" | "replies">;

function recordsOf({ redis }: Ctx, owner: UserId): JsonRecords<Stored> {
  return new JsonRecords(redis, keys.lists(owner));
}

/** All lists of a user, oldest first. */
export async function listsOf(ctx: Ctx, owner: UserId): Promise<UserList[]> {
  const lists = await recordsOf(ctx, owner).list();
  return lists
    .map(({ field, value }) => ({ id: field as ListId, ...value }))
    .toSorted((one, other) => one.createdAt - other.createdAt);
}

export async function findList(ctx: Ctx, owner: UserId, id: ListId): Promise<UserList | undefined> {
  const list = await recordsOf(ctx, owner).find(id);
  return list && { id, ...list.value };
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
  { nonce, ...input }: ListInput & { nonce?: string | undefined },
): Promise<UserList> {
  const id = formNumber(nonce, owner, input.title, input.replies) as ListId;
  const createdAt = stampAt(ctx.now(), id);
  const stored: Stored = { title: checkTitle(input.title), replies: input.replies, createdAt };
  const list = await recordsOf(ctx, owner).add(id, stored, listsAtMost);
  if (list === undefined) throw new Invalid({ title: "list.many" });
  return { id, ...list.value };
}

/** Throws NotFound; Invalid, beside `title`. */
export async function changeList(
  ctx: Ctx,
  owner: UserId,
  id: ListId,
  input: Partial<ListInput>,
): Promise<UserList> {
  const title = input.title === undefined ? undefined : checkTitle(input.title);
  // A list that is being deleted is not made again.
  const list = await recordsOf(ctx, owner).change(id, (before) => ({
    title: title ?? before.title,
    replies: input.replies ?? before.replies,
    createdAt: before.createdAt,
  }));
  if (list === undefined) throw new NotFound("list");
  return { id, ...list };
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
