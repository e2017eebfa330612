import type { Ctx } from "../../context.ts";
import type { UserId } from "../ids.ts";
import { type Notice, notify, retract, retractAbout } from "./notify.ts";
import { type Stamp, stampAt } from "../stamp.ts";
import type { Tweet } from "../tweets/tweet.ts";

/** Notifies the answered user and the mentioned users of a tweet, with the time of delivery. May run twice. */
export async function notifyOfTweet(ctx: Ctx, tweet: Tweet): Promise<void> {
  const stamp = stampAt(ctx.now(), tweet.id);
  await Promise.all(noticesOf(tweet).map((notice) => notify(ctx, { ...notice, stamp })));
}

/** Removes the notifications of a deleted tweet, and of its likes and retweets. May run twice. */
export async function retractTweet(ctx: Ctx, tweet: Tweet): Promise<void> {
  await Promise.all([
    ...noticesOf(tweet).map((notice) => retract(ctx, notice)),
    retractAbout(ctx, { to: tweet.author, tweet: tweet.id }),
  ]);
}

/** The answered user is not notified of a mention as well. */
function noticesOf({ id, author: actor, replyTo, mentions = [] }: Tweet): Notice[] {
  const notices: Notice[] = [];
  if (replyTo !== undefined) notices.push({ to: replyTo.author, kind: "reply", tweet: id, actor });
  for (const { id: to } of mentions)
    if (to !== replyTo?.author) notices.push({ to, kind: "mention", tweet: id, actor });
  return notices;
}

/** Notifies a tweet's author of a like or retweet; without a stamp, removes that notification. May run twice. */
export async function notifyOfReaction(
  ctx: Ctx,
  { id: tweet, author: to }: Tweet,
  { kind, actor, stamp }: { kind: "like" | "retweet"; actor: UserId; stamp: Stamp | undefined },
): Promise<void> {
  const notice: Notice = { to, kind, tweet, actor };
  if (stamp === undefined) await retract(ctx, notice);
  else await notify(ctx, { ...notice, stamp });
}
