import type { Ctx } from "../../context.ts";
import { type Edge, mirrorFollow, writeFollow, writeUnfollow } from "../follows/follow.ts";
import { followedAmong } from "../follows/store.ts";
import { tweetId } from "../ids.ts";
import { rebuildHome } from "./home.ts";
import { allStored, fillHome, removeFromHome } from "./home-store.ts";
import { answersTo, repliesBy, userEntries, writtenAmong } from "./store.ts";

/** Throws Invalid for oneself, Blocked. The followee's tweets are in the follower's home once this resolves. */
export async function follow(ctx: Ctx, edge: Edge): Promise<void> {
  if (await writeFollow(ctx, edge)) await backFill(ctx, edge);
}

/** The followee's tweets are gone from the follower's home once this resolves. */
export async function unfollow(ctx: Ctx, edge: Edge): Promise<void> {
  await writeUnfollow(ctx, edge);
  await takeOut(ctx, edge);
}

/** The job promised by follow and unfollow: makes everything agree with the truth. May run twice. */
export async function settleFollow(ctx: Ctx, edge: Edge): Promise<void> {
  if (await mirrorFollow(ctx, edge)) await backFill(ctx, edge);
  else await takeOut(ctx, edge);
}

/**
 * What the followee wrote, and what others whom the follower follows replied to them; of replies,
 * those that concern the follower.
 */
async function backFill(ctx: Ctx, { follower, followee }: Edge): Promise<void> {
  const limit = ctx.config.timelineCap;
  const [written, replies, answers] = await Promise.all([
    userEntries(ctx, followee, { before: undefined, limit }),
    repliesBy(ctx, followee, limit),
    answersTo(ctx, followee, limit),
  ]);
  const others = [...replies, ...answers].map((answer) => answer.other);
  const known = (await followedAmong(ctx, follower, others)).add(follower);
  const hidden = new Set(replies.filter(({ other }) => !known.has(other)).map(({ id }) => id));
  const entries = [
    ...written.filter(({ id }) => !hidden.has(id)),
    ...answers.filter(({ other }) => known.has(other)),
  ];
  // Older replies of others to somebody with very many stay out until the timeline is made anew.
  const floor = written.length < limit ? 0 : (written.at(-1)?.stamp ?? 0);
  const filled = await fillHome(ctx, follower, { whose: "some", entries, floor });
  // Just made, or being rebuilt by somebody who may not know yet of this follow.
  if (filled === "unfilled") await rebuildHome(ctx, follower);
}

/**
 * Of what the home timeline stores, all that stands in the followee's user timeline, and what others
 * than the follower replied to them.
 */
export async function takeOut(ctx: Ctx, { follower, followee }: Edge): Promise<void> {
  const stored = (await allStored(ctx, follower)).map((entry) => tweetId(entry.id));
  const [written, answers] = await Promise.all([
    writtenAmong(ctx, followee, stored),
    answersTo(ctx, followee, ctx.config.timelineCap),
  ]);
  const foreign = answers.filter(({ other }) => other !== follower);
  await removeFromHome(ctx, follower, [...written, ...foreign.map(({ id }) => tweetId(id))]);
}
