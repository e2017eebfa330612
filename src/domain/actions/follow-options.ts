import type { Ctx } from "../../context.ts";
import {
  clearFollowOptions,
  type FollowOptions,
  writeFollowOptions,
} from "../graph/follow-options.ts";
import { type FollowEdge, isFollowing } from "../graph/follows.ts";
import { stampAt } from "../stamp.ts";

/**
 * Changes options of a follow; those that are left out stay. Does nothing without the follow. Retweets are delivered
 * in any case, and left out when home and lists are read: so a change counts at once, for what was delivered before
 * as well.
 */
export async function changeFollowOptions(
  ctx: Ctx,
  edge: FollowEdge,
  options: Partial<FollowOptions>,
): Promise<void> {
  if ((await isFollowing(ctx, edge)) === undefined) return;
  await writeFollowOptions(ctx, edge, options, stampAt(ctx.now(), edge.followee));
  // The follow ended meanwhile: the later of the two writes finds the other.
  if ((await isFollowing(ctx, edge)) === undefined) await clearFollowOptions(ctx, edge);
}
