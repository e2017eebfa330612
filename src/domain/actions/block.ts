import type { Chores, Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { Invalid } from "../errors.ts";
import { findRequest } from "../graph/follow-requests.ts";
import { isFollowing } from "../graph/follows.ts";
import { reconcile } from "../promises.ts";
import { unfollow } from "./follow.ts";
import { addEdge, type EdgeKind, removeEdge } from "./write-edge.ts";

type Block = Chores["reconcile-block"];

const blocking: EdgeKind<Block> = {
  list: ({ blocker }) => keys.blocks(blocker),
  member: ({ blocked }) => blocked,
  promise: (ctx, edge) => ctx.jobs.chore("reconcile-block", edge, "later"),
  reconcile: reconcileBlock,
  isProtective: true,
};

/**
 * When this resolves, neither user follows the other, asks to, or sees the other's tweets. Throws Invalid if both are
 * the same user.
 */
export async function block(ctx: Ctx, edge: Block): Promise<void> {
  if (edge.blocker === edge.blocked) throw new Invalid({ form: "block.self" });
  await addEdge(ctx, blocking, edge);
  await ctx.memory.settled();
}

/** Does not restore follows. */
export async function unblock(ctx: Ctx, edge: Block): Promise<void> {
  await removeEdge(ctx, blocking, edge);
}

/** The job promised by block and unblock: makes all other data agree with the blocker's list. May run twice. */
export async function reconcileBlock(ctx: Ctx, edge: Block): Promise<void> {
  const { blocker, blocked } = edge;
  const since = await reconcile(
    () => ctx.redis.zscore(keys.blocks(blocker), blocked),
    async (stamp) => {
      if (stamp === null) await ctx.redis.zrem(keys.blockedBy(blocked), blocker);
      else await ctx.redis.addAnyway(keys.blockedBy(blocked), stamp, blocker);
    },
  );
  if (since !== null) await endFollows(ctx, edge);
}

/** With requests. What is written at this moment ends itself: see standingFollow and standingRequest. */
async function endFollows(ctx: Ctx, { blocker, blocked }: Block): Promise<void> {
  const edges = [
    { follower: blocker, followee: blocked },
    { follower: blocked, followee: blocker },
  ];
  for (const edge of edges)
    if (((await isFollowing(ctx, edge)) ?? (await findRequest(ctx, edge))) !== undefined)
      await unfollow(ctx, edge);
}
