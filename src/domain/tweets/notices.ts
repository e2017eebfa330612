import type { Ctx } from "../../context.ts";
import { type Notice, notify, retract, retractAbout } from "../notifications/notify.ts";
import { stampAt } from "../stamp.ts";
import type { Tweet } from "./store.ts";

/**
 * Tells those whom a tweet concerns: whoever it answers, whoever it retweets, whomever it mentions.
 * A tweet that arrives late is news when it arrives. May run twice.
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
function noticesOf({ id, author: actor, replyTo, retweetOf, mentions = [] }: Tweet): Notice[] {
  const notices: Notice[] = [];
  if (retweetOf !== undefined)
    notices.push({ to: retweetOf.author, kind: "retweet", tweet: retweetOf.tweet, actor });
  if (replyTo !== undefined) notices.push({ to: replyTo.author, kind: "reply", tweet: id, actor });
  for (const { id: to } of mentions)
    if (to !== replyTo?.author) notices.push({ to, kind: "mention", tweet: id, actor });
  return notices;
}
