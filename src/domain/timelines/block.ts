import type { Ctx } from "../../context.ts";
import { isFollowing } from "../follows/store.ts";
import { type Block, mirrorBlock, writeBlock, writeUnblock } from "../users/block.ts";
import { unfollow } from "./follow.ts";

/** Once this resolves neither follows the other or sees their tweets. Throws Invalid for oneself. */
export async function block(ctx: Ctx, edge: Block): Promise<void> {
  await writeBlock(ctx, edge);
  await endFollows(ctx, edge);
}

/** Follows do not come back. */
export async function unblock(ctx: Ctx, edge: Block): Promise<void> {
  await writeUnblock(ctx, edge);
}

/** The job promised by block and unblock: makes everything agree with the truth. May run twice. */
export async function settleBlock(ctx: Ctx, edge: Block): Promise<void> {
  if (await mirrorBlock(ctx, edge)) await endFollows(ctx, edge);
}

/** A follow that is written at this moment ends itself: see mirrorFollow. */
async function endFollows(ctx: Ctx, { blocker, blocked }: Block): Promise<void> {
  const edges = [
    { follower: blocker, followee: blocked },
    { follower: blocked, followee: blocker },
  ];
  for (const edge of edges)
    if ((await isFollowing(ctx, edge)) !== undefined) await unfollow(ctx, edge);
}
