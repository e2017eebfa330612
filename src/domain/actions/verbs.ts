import type { Ctx } from "../../context.ts";
import type { TweetId, UserId } from "../ids.ts";
import { muteConversation, unmuteConversation } from "../notifications/muted-conversations.ts";
import { block, unblock } from "./block.ts";
import { bookmarkTweet, unbookmarkTweet } from "./bookmark.ts";
import { follow, unfollow } from "./follow.ts";
import { likeTweet, unlikeTweet } from "./like.ts";
import { mute, unmute } from "./mute.ts";
import { pinTweet, unpinTweet } from "./pin-tweet.ts";
import { retweet, unretweet } from "./retweet.ts";

/** What a user does to a tweet or an account with one button, on pages and by the API. Its name is a CountedVerb. */
export interface Verb<Target> {
  /** May return the tweet to show instead, such as a new retweet. */
  run(ctx: Ctx, user: UserId, target: Target): Promise<TweetId | undefined | void>;
  undo(ctx: Ctx, user: UserId, target: Target): Promise<void>;
}

export const tweetVerbs = {
  like: { run: likeTweet, undo: unlikeTweet },
  retweet: { run: retweet, undo: unretweet },
  bookmark: { run: bookmarkTweet, undo: unbookmarkTweet },
  pin: { run: pinTweet, undo: unpinTweet },
  /** Mutes the tweet's conversation. */
  mute: { run: muteConversation, undo: unmuteConversation },
} as const satisfies Record<string, Verb<TweetId>>;

export const accountVerbs = {
  follow: {
    run: (ctx, follower, followee) => follow(ctx, { follower, followee }),
    undo: (ctx, follower, followee) => unfollow(ctx, { follower, followee }),
  },
  block: {
    run: (ctx, blocker, blocked) => block(ctx, { blocker, blocked }),
    undo: (ctx, blocker, blocked) => unblock(ctx, { blocker, blocked }),
  },
  mute: {
    run: (ctx, muter, muted, seconds?: number) => mute(ctx, { muter, muted }, seconds),
    undo: (ctx, muter, muted) => unmute(ctx, { muter, muted }),
  },
} as const satisfies Record<string, Verb<UserId>>;
