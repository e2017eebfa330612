import type { Ctx } from "../../context.ts";
import {
  clearFollowOptions,
  type FollowOptions,
  writeFollowOptions,
} from "../graph/follow-options.ts";
import { type FollowEdge, isFollowing } from "../graph/follows.ts";
import { stampAt } from "../stamp.ts";
import { reconcileFollow } from "./follow.ts";

/**
 * Changes options of a follow; those that are left out stay. Does nothing without the follow. Retweets that were
 * delivered before disappear at once: home leaves them out when it is read. Those that are wanted again are
 * filled in from the user's own timeline, as after a follow.
 */
export async function changeFollowOptions(
  ctx: Ctx,
  edge: FollowEdge,
  wish: Partial<FollowOptions>,
): Promise<void> {
  if ((await isFollowing(ctx, edge)) === undefined) return;
  const fillsHome = wish.retweets === true;
  if (fillsHome) await ctx.jobs.chore("settle-follow", edge, "later");
  await writeFollowOptions(ctx, edge, wish, stampAt(ctx.now(), edge.followee));
  // The follow ended meanwhile: the later of the two writes finds the other.
  if ((await isFollowing(ctx, edge)) === undefined) await clearFollowOptions(ctx, edge);
  else if (fillsHome) await reconcileFollow(ctx, edge);
}
