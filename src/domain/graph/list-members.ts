import type { Ctx } from "../../context.ts";
import { type Command, exec } from "../../redis/exec.ts";
import { keys, mostOf } from "../../redis/keys.ts";
import { Invalid, NotFound } from "../errors.ts";
import { type ListId, type UserId, userId } from "../ids.ts";
import { type Entry, type Page, type Range, readPage } from "../page.ts";
import { stampAt } from "../stamp.ts";
import { followedAmong, isFollowing } from "./follows.ts";
import { findList, listsOf } from "./lists.ts";

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
    await removeFromList(ctx, membership);
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
  { owner, member }: Omit<Membership, "list">,
): Promise<boolean> {
  const edge = { follower: owner, followee: member };
  return owner === member || (await isFollowing(ctx, edge)) !== undefined;
}

/** Does nothing for a user who is not a member. */
export async function removeFromList(ctx: Ctx, { owner, list, member }: Membership): Promise<void> {
  await ctx.redis.zrem(keys.listMembers(owner, list), member);
}

/** From now on the member is in these of the owner's lists, and in no others. Throws Invalid. */
export async function chooseLists(
  ctx: Ctx,
  { owner, lists: chosen, member }: Omit<Membership, "list"> & { lists: ReadonlySet<ListId> },
): Promise<void> {
  const lists = (await listsOf(ctx, owner)).map(({ id }) => id);
  const listsWithMember = await listsWith(ctx, { owner, lists, member });
  for (const list of lists)
    if (!chosen.has(list)) await removeFromList(ctx, { owner, list, member });
    else if (!listsWithMember.has(list)) await addToList(ctx, { owner, list, member });
}

/** The end of a follow: the follower's lists lose the followee. May run twice. */
export async function leaveLists(ctx: Ctx, owner: UserId, member: UserId): Promise<void> {
  if (owner === member) return;
  const lists = await listsOf(ctx, owner);
  await exec(
    ctx.redis,
    lists.map(({ id }): Command => ["zrem", keys.listMembers(owner, id), member]),
  );
}

/** All members. */
export async function membersOfList(ctx: Ctx, owner: UserId, list: ListId): Promise<UserId[]> {
  const ids = (await ctx.redis.zrange(keys.listMembers(owner, list), 0, "-1")).map(userId);
  return await stillFollowed(ctx, owner, ids);
}

/** The members, the last one added first. A page may be short. */
export async function membersPage(
  ctx: Ctx,
  owner: UserId,
  list: ListId,
  range: Range,
): Promise<Page<Entry>> {
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
export async function countMembers(
  ctx: Ctx,
  owner: UserId,
  lists: ListId[],
): Promise<Map<ListId, number>> {
  const counts = await exec(
    ctx.redis,
    lists.map((list): Command => ["zcard", keys.listMembers(owner, list)]),
  );
  return new Map(lists.map((list, index) => [list, Number(counts[index])]));
}

/** Those of the lists that have the member. */
export async function listsWith(
  ctx: Ctx,
  { owner, lists, member }: Omit<Membership, "list"> & { lists: ListId[] },
): Promise<Set<ListId>> {
  const stamps = await exec(
    ctx.redis,
    lists.map((list): Command => ["zscore", keys.listMembers(owner, list), member]),
  );
  return new Set(lists.filter((_, index) => stamps[index] !== null));
}
