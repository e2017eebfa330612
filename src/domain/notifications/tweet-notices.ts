import type { Ctx } from "../../context.ts";
import type { UserId } from "../ids.ts";
import { type Notice, notify, retract, retractAbout } from "./notify.ts";
import { type Stamp, stampAt } from "../stamp.ts";
import type { Tweet } from "../tweets/tweet.ts";

/**
 * Tells those whom a tweet concerns: whoever it answers, and whomever it mentions. A tweet that is
 * delivered late is news when it arrives. May run twice.
 */
export async function notifyOfTweet(ctx: Ctx, tweet: Tweet): Promise<void> {
  const stamp = stampAt(ctx.now(), tweet.id);
  await Promise.all(noticesOf(tweet).map((notice) => notify(ctx, { ...notice, stamp })));
}

/** Takes back all that was told of a tweet that is gone, and of what was done to it. May run twice. */
export async function retractTweet(ctx: Ctx, tweet: Tweet): Promise<void> {
  await Promise.all([
    ...noticesOf(tweet).map((notice) => retract(ctx, notice)),
    retractAbout(ctx, { to: tweet.author, tweet: tweet.id }),
  ]);
}

/** Whoever is answered is not told as well that the answer mentions them. */
function noticesOf({ id, author: actor, replyTo, mentions = [] }: Tweet): Notice[] {
  const notices: Notice[] = [];
  if (replyTo !== undefined) notices.push({ to: replyTo.author, kind: "reply", tweet: id, actor });
  for (const { id: to } of mentions)
    if (to !== replyTo?.author) notices.push({ to, kind: "mention", tweet: id, actor });
  return notices;
}

/** Tells a tweet's author who likes or retweeted it; without a stamp, that it was undone. May run twice. */
export async function tellOfReaction(
  ctx: Ctx,
  { id: tweet, author: to }: Tweet,
  { kind, actor, stamp }: { kind: "like" | "retweet"; actor: UserId; stamp: Stamp | undefined },
): Promise<void> {
  const notice: Notice = { to, kind, tweet, actor };
  if (stamp === undefined) await retract(ctx, notice);
  else await notify(ctx, { ...notice, stamp });
}
