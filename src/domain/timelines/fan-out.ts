import { Cluster } from "ioredis";
import type { Ctx } from "../../context.ts";
import { followerIdsAfter, followersNow } from "../graph/follows.ts";
import type { UserId } from "../ids.ts";
import type { Stamp } from "../stamp.ts";
import { Delivery } from "./delivery.ts";
import { fanOutInside, pagesBetweenSaves } from "./fan-out-inside.ts";
import type { TimelineTweet, FanOutProgress } from "./store.ts";

/**
 * Adds a tweet to the existing home timelines of its author's followers: of `pages` pages of them, or of all.
 * Continues from `progress` after a crash; delivering twice changes nothing. A user who follows meanwhile gets
 * the tweet from the back-fill of the follow. Returns the stamp to continue from; undefined at the end.
 */
export async function fanOut(
  ctx: Ctx,
  placed: TimelineTweet,
  progress: FanOutProgress,
  pages = Infinity,
): Promise<Stamp | undefined> {
  const through = ctx.redis instanceof Cluster ? fanOutAcross : fanOutInside;
  return await through(ctx, placed, progress, pages);
}

/**
 * A fan-out on a cluster, where followers and timelines are on different nodes: this process reads the followers,
 * ten pages while the ten before them are delivered.
 */
async function fanOutAcross(
  ctx: Ctx,
  placed: TimelineTweet,
  progress: FanOutProgress,
  pages: number,
): Promise<Stamp | undefined> {
  const delivery = new Delivery(ctx, placed);
  const { fanoutPage } = ctx.config;
  // Reading 5,000 followers takes Redis about a millisecond.
  const pagesAtOnce = fanoutPage > 1000 ? 1 : 5;
  let saved: Promise<unknown> = Promise.resolve();
  let end: Stamp | undefined = progress.done;
  for (let read = 0; end !== undefined && read < pages;) {
    const some = Math.min(pagesAtOnce, pages - read);
    const limit = some * fanoutPage;
    const { ids, last } = await followerIdsAfter(ctx, placed.author, { after: end, limit });
    delivery.add(await concerned(ctx, placed, ids));
    end = last;
    read += some;
    if (last === undefined || read % pagesBetweenSaves > 0) continue;
    const before = saved;
    saved = Promise.all([before, delivery.finish()]).then(() => progress.save(last));
    // The next pages get the failure; this only avoids an unhandled rejection before.
    saved.catch(() => {});
    await before;
  }
  await Promise.all([saved, delivery.finish()]);
  return end;
}

/** A reply goes only to followers who also follow the answered user, and to that user. */
async function concerned(ctx: Ctx, { inReplyToUser }: TimelineTweet, ids: Buffer): Promise<Buffer> {
  if (inReplyToUser === undefined || ids.length === 0) return ids;
  const followers = ids.toString("latin1").split(" ") as UserId[];
  const both = await followersNow(ctx, inReplyToUser, followers);
  const some = followers.filter((follower) => follower === inReplyToUser || both.has(follower));
  return Buffer.from(some.join(" "));
}
