import type { Ctx } from "../../context.ts";
import { bookmarkTweet, unbookmarkTweet } from "../../domain/actions/bookmark.ts";
import { bookmarksFeed, likesFeed } from "../../domain/feeds/feeds.ts";
import { likeTweet, unlikeTweet } from "../../domain/actions/like.ts";
import { pinTweet, unpinTweet } from "../../domain/actions/pin-tweet.ts";
import { retweet, unretweet } from "../../domain/actions/retweet.ts";
import type { Scope } from "../../domain/apps/scopes.ts";
import { NotFound } from "../../domain/errors.ts";
import { findFeedItem } from "../../domain/feeds/thread.ts";
import type { TweetId, UserId } from "../../domain/ids.ts";
import type { Act } from "../../domain/limits.ts";
import { findUser } from "../../domain/users/store.ts";
import { limitAct } from "../middleware/limits.ts";
import { type Endpoint, endpoint, many, needs, one } from "./endpoint.ts";
import { pagingOf, statusPaging } from "./paging.ts";
import { sendReacted, sendStatus } from "./send.ts";
import { statusOf } from "./statuses.ts";

interface Reaction {
  summary: string;
  scope: Scope;
  /** The limit that it counts for; none for what takes something away. */
  act?: Act;
  /** Returns the tweet to answer with, if that is another one. */
  run(ctx: Ctx, user: UserId, tweet: TweetId): Promise<TweetId | undefined | void>;
}

/** What a viewer does with a status, and their lists of what they have done. */
export const reactionEndpoints: readonly Endpoint[] = [
  reaction("favourite", {
    summary: "Like",
    scope: "write:favourites",
    act: "reactions",
    run: likeTweet,
  }),
  reaction("unfavourite", {
    summary: "Take a like back",
    scope: "write:favourites",
    run: unlikeTweet,
  }),
  reaction("reblog", {
    summary: "Retweet; the answer has the original in reblog",
    scope: "write:statuses",
    act: "retweets",
    run: retweet,
  }),
  reaction("unreblog", {
    summary: "Take a retweet back",
    scope: "write:statuses",
    run: unretweet,
  }),
  reaction("bookmark", {
    summary: "Bookmark, for oneself alone",
    scope: "write:bookmarks",
    act: "reactions",
    run: bookmarkTweet,
  }),
  reaction("unbookmark", {
    summary: "Take a bookmark out",
    scope: "write:bookmarks",
    run: unbookmarkTweet,
  }),
  reaction("pin", {
    summary: "Put one's own on top of one's profile",
    scope: "write:accounts",
    act: "profile",
    run: pinTweet,
  }),
  reaction("unpin", {
    summary: "Take it off there",
    scope: "write:accounts",
    run: unpinTweet,
  }),
  endpoint({
    method: "get",
    path: "/api/v1/favourites",
    summary: "What one likes",
    access: needs("read:favourites"),
    query: statusPaging,
    answer: many("Status"),
    paged: true,
    async handle({ ctx, res, viewer, query }) {
      const page = await likesFeed(ctx, viewer.id, { viewer, ...pagingOf(query) });
      await sendReacted(ctx, res, page);
    },
  }),
  endpoint({
    method: "get",
    path: "/api/v1/bookmarks",
    summary: "What one has bookmarked",
    access: needs("read:bookmarks"),
    query: statusPaging,
    answer: many("Status"),
    paged: true,
    async handle({ ctx, res, viewer, query }) {
      const page = await bookmarksFeed(ctx, viewer.id, { viewer, ...pagingOf(query) });
      await sendReacted(ctx, res, page);
    },
  }),
];

function reaction(name: string, { summary, scope, act, run }: Reaction): Endpoint {
  return endpoint({
    method: "post",
    path: `/api/v1/statuses/{id}/${name}`,
    summary,
    access: needs(scope),
    answer: one("Status"),
    before: (ctx) => [limitAct(ctx, act)],
    async handle({ ctx, req, res, viewer: asking }) {
      const { tweet } = await statusOf(ctx, req, asking);
      const answered = (await run(ctx, asking.id, tweet.id)) ?? tweet.id;
      // Read again: the user's record has the pinned tweet.
      const viewer = await findUser(ctx, asking.id);
      const item = await findFeedItem(ctx, viewer, answered);
      if (item === undefined) throw new NotFound("status");
      await sendStatus(ctx, res, viewer, item);
    },
  });
}
