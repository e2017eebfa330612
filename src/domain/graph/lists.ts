import type { Ctx } from "../../context.ts";
import { recordsAt } from "../../redis/json-records.ts";
import { keys, mostOf } from "../../redis/keys.ts";
import { Invalid, NotFound, required } from "../errors.ts";
import { withoutRight } from "../scope.ts";
import { formNumber } from "../secrets.ts";
import { type ListId, parseListId, type UserId, userId, type Stamp, stampAt } from "../ids.ts";
import { thoseWith } from "../members.ts";
import { cleanLine, fitsGraphemes, isBlank } from "../users/display-text.ts";
import { execEach } from "../../redis/exec.ts";
import { type Range, readPage } from "../page.ts";
import { followedAmong, isFollowing } from "./follows.ts";

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

const recordsOf = recordsAt<Stored, UserId>(keys.lists);

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
  return required(id && (await findList(ctx, owner, id)), "list");
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

/** What is left out stays. Throws NotFound; Invalid, beside `title`. */
export async function changeList(
  ctx: Ctx,
  owner: UserId,
  id: ListId,
  input: Partial<ListInput>,
): Promise<UserList> {
  const title = input.title === undefined ? undefined : checkTitle(input.title);
  // A list that is being deleted is not made again.
  const changed = await recordsOf(ctx, owner).change(id, (before) => ({
    title: title ?? before.title,
    replies: input.replies ?? before.replies,
    createdAt: before.createdAt,
  }));
  return { id, ...required(changed, "list").after };
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

/** Max members of a list: its timeline reads the timeline of each. */
export const membersAtMost = mostOf("listMembers");

interface Membership {
  owner: UserId;
  list: ListId;
  member: UserId;
}

/**
 * The owner follows each member, or is the member: so a block or the end of an account takes members out as it ends
 * follows. Throws NotFound for a list that is gone; Invalid, beside `name`.
 */
export async function addToList(ctx: Ctx, membership: Membership): Promise<void> {
  const { owner, list, member } = membership;
  await requirePossible(ctx, membership);
  const key = keys.listMembers(owner, list);
  const stamp = stampAt(ctx.now(), member);
  const isAdded = await ctx.redis.addBounded(key, 0, member, stamp, membersAtMost);
  if (isAdded === 0) throw new Invalid({ name: "list.full" });
  try {
    // The list was deleted, or the follow ended, meanwhile: the later of the two writes finds the other.
    await requirePossible(ctx, membership);
  } catch (error) {
    await withoutRight(() => removeFromList(ctx, membership));
    throw error;
  }
}

async function requirePossible(ctx: Ctx, membership: Membership): Promise<void> {
  const [list, mayAdd] = await Promise.all([
    findList(ctx, membership.owner, membership.list),
    mayAddToLists(ctx, membership),
  ]);
  if (list === undefined) throw new NotFound("list");
  if (!mayAdd) throw new Invalid({ name: "list.unfollowed" });
}

export async function mayAddToLists(
  ctx: Ctx,
  { owner: follower, member: followee }: Omit<Membership, "list">,
): Promise<boolean> {
  return follower === followee || (await isFollowing(ctx, { follower, followee })) !== undefined;
}

export async function removeFromList(ctx: Ctx, { owner, list, member }: Membership): Promise<void> {
  await ctx.redis.zrem(keys.listMembers(owner, list), member);
}

interface ListChoice extends Omit<Membership, "list"> {
  lists: ReadonlySet<ListId>;
  /** Whether each list that was shown had the member then: only what was changed is written. Empty: all are written. */
  shown: ReadonlyMap<ListId, boolean>;
}

/** From now on the member is in these of the owner's lists, and in no others that were shown. Throws Invalid. */
export async function chooseLists(ctx: Ctx, { owner, lists: chosen, shown, member }: ListChoice) {
  const isChanged = (id: ListId) =>
    shown.size === 0 || (shown.has(id) && shown.get(id) !== chosen.has(id));
  const lists = (await listsOf(ctx, owner)).map(({ id }) => id).filter(isChanged);
  const listsWithMember = await listsWith(ctx, { owner, lists, member });
  for (const list of lists)
    if (!chosen.has(list)) await removeFromList(ctx, { owner, list, member });
    else if (!listsWithMember.has(list)) await addToList(ctx, { owner, list, member });
}

/** The end of a follow: the follower's lists lose the followee. May run twice. */
export async function leaveLists(ctx: Ctx, owner: UserId, member: UserId): Promise<void> {
  if (owner === member) return;
  const lists = await listsOf(ctx, owner);
  await execEach(ctx.redis, lists, ({ id }) => ["zrem", keys.listMembers(owner, id), member]);
}

/** All members. */
export async function membersOfList(ctx: Ctx, owner: UserId, list: ListId): Promise<UserId[]> {
  const ids = (await ctx.redis.zrange(keys.listMembers(owner, list), 0, "-1")).map(userId);
  return await stillFollowed(ctx, owner, ids);
}

/** The members, the last one added first. A page may be short. */
export async function membersPage(ctx: Ctx, owner: UserId, list: ListId, range: Range) {
  const page = await readPage(ctx.redis, keys.listMembers(owner, list), range);
  const ids = page.items.map(({ id }) => userId(id));
  const shown = new Set<string>(await stillFollowed(ctx, owner, ids));
  return { ...page, items: page.items.filter(({ id }) => shown.has(id)) };
}

/** A follow that has just ended counts at once. */
async function stillFollowed(ctx: Ctx, owner: UserId, ids: UserId[]): Promise<UserId[]> {
  const followed = await followedAmong(ctx, owner, ids);
  return ids.filter((id) => id === owner || followed.has(id));
}

/** Number of members of each list. */
export async function countMembers(ctx: Ctx, owner: UserId, lists: ListId[]) {
  const counts = await execEach(ctx.redis, lists, (id) => ["zcard", keys.listMembers(owner, id)]);
  return new Map(lists.map((list, index) => [list, Number(counts[index])]));
}

/** Those of the lists that have the member. */
export async function listsWith(
  ctx: Ctx,
  { owner, lists, member }: Omit<Membership, "list"> & { lists: ListId[] },
): Promise<Set<ListId>> {
  return await thoseWith(ctx, lists, (list) => keys.listMembers(owner, list), member);
}
