import { z } from "zod";
import type { Ctx } from "../../context.ts";
import { bookmarksFeed, likesFeed } from "../../domain/feeds/feeds.ts";
import { bookmarkTweet, unbookmarkTweet } from "../../domain/actions/bookmark.ts";
import { likeTweet, unlikeTweet } from "../../domain/actions/like.ts";
import { pinTweet, unpinTweet } from "../../domain/actions/pin-tweet.ts";
import { retweet, unretweet } from "../../domain/actions/retweet.ts";
import type { Scope } from "../../domain/apps/scopes.ts";
import { NotFound } from "../../domain/errors.ts";
import { findFeedItem } from "../../domain/feeds/thread.ts";
import type { TweetId, UserId } from "../../domain/ids.ts";
import type { Act } from "../../domain/limits.ts";
import {
  muteConversation,
  unmuteConversation,
} from "../../domain/notifications/muted-conversations.ts";
import { findUser } from "../../domain/users/store.ts";
import { openVisibility } from "./compose.ts";
import { type Endpoint, endpoint, needs } from "./endpoint.ts";
import { presentStatus, Status } from "./entities/status.ts";
import { statusPagingOf, statusesPage, statusPaging } from "./paging.ts";
import { getStatus } from "./statuses.ts";

interface Verb {
  scope: Scope;
  /** The limit that it counts for; none for acts that take something back. */
  act?: Act;
  body?: z.ZodObject;
}

/** Returns the tweet to answer with, if that is another one. */
type Run = (ctx: Ctx, user: UserId, tweet: TweetId) => Promise<TweetId | undefined | void>;

/** What a viewer does with a status, and the viewer's lists of these. */
export const reactionEndpoints: readonly Endpoint[] = [
  reaction("favourite", "Like", { scope: "write:favourites", act: "likes" }, likeTweet),
  reaction("unfavourite", "Remove a like", { scope: "write:favourites" }, unlikeTweet),
  reaction(
    "reblog",
    "Retweet; the answer contains the original",
    {
      scope: "write:statuses",
      act: "retweets",
      body: z.object({ visibility: openVisibility }),
    },
    retweet,
  ),
  reaction("unreblog", "Remove a retweet", { scope: "write:statuses" }, unretweet),
  reaction(
    "bookmark",
    "Bookmark; only the user sees it",
    { scope: "write:bookmarks", act: "likes" },
    bookmarkTweet,
  ),
  reaction("unbookmark", "Remove a bookmark", { scope: "write:bookmarks" }, unbookmarkTweet),
  reaction("pin", "Pin to the profile", { scope: "write:accounts", act: "profile" }, pinTweet),
  reaction("unpin", "Unpin", { scope: "write:accounts" }, unpinTweet),
  reaction(
    "mute",
    "Mute the conversation: nothing in it notifies the user",
    { scope: "write:mutes", act: "blocks" },
    muteConversation,
  ),
  reaction("unmute", "Unmute the conversation", { scope: "write:mutes" }, unmuteConversation),
  ownList("favourites", "Statuses that the user likes", likesFeed),
  ownList("bookmarks", "Statuses that the user has bookmarked", bookmarksFeed),
];

function reaction(name: string, summary: string, { scope, act, body }: Verb, run: Run): Endpoint {
  return endpoint(`POST /api/v1/statuses/{id}/${name}`, summary, {
    access: needs(scope),
    answer: Status,
    act,
    ...(body === undefined ? {} : { body }),
    async handle(request) {
      const { ctx, site, viewer: asking, params } = request;
      const { tweet } = await getStatus(request, params.id);
      const answered = (await run(ctx, asking.id, tweet.id)) ?? tweet.id;
      // Read again: the user's record has the pinned tweet.
      const viewer = await findUser(ctx, asking.id);
      const item = await findFeedItem(ctx, viewer, answered);
      if (item === undefined) throw new NotFound("status");
      return await presentStatus({ ctx, site, viewer }, item);
    },
  });
}

function ownList(
  name: "favourites" | "bookmarks",
  summary: string,
  read: typeof likesFeed,
): Endpoint {
  return endpoint(`GET /api/v1/${name}`, summary, {
    access: needs(`read:${name}`),
    query: statusPaging,
    answer: z.array(Status),
    async handle(request) {
      const { ctx, viewer, query } = request;
      return await statusesPage(
        request,
        await read(ctx, viewer.id, { viewer, ...(await statusPagingOf(ctx, query)) }),
      );
    },
  });
}
