import { z } from "zod";
import { bookmarksFeed, likesFeed } from "../../domain/feeds/feeds.ts";
import { tweetVerbs, type Verb } from "../../domain/actions/verbs.ts";
import type { Scope } from "../../domain/apps/scopes.ts";
import { NotFound } from "../../domain/errors.ts";
import type { TweetId } from "../../domain/ids.ts";
import { findFeedItem } from "../../domain/feeds/thread.ts";
import { findUser, type User } from "../../domain/users/store.ts";
import { openVisibility } from "./compose.ts";
import { type ApiRequest, type Endpoint, endpoint, needs } from "./endpoint.ts";
import { presentStatus, Status } from "./entities/status.ts";
import type { Json } from "./entities/parts.ts";
import { statusesPage, statusPaging } from "./paging.ts";
import { getStatus } from "./statuses.ts";

/** What a viewer does with a status, and the viewer's lists of these. */
export const reactionEndpoints: readonly Endpoint[] = [
  ...reaction("favourite", "write:favourites", "like", ["Like", "Remove a like"]),
  ...reaction(
    "reblog",
    "write:statuses",
    "retweet",
    ["Retweet; the answer contains the original", "Remove a retweet"],
    z.object({ visibility: openVisibility }),
  ),
  ...reaction("bookmark", "write:bookmarks", "bookmark", [
    "Bookmark; only the user sees it",
    "Remove a bookmark",
  ]),
  ...reaction("pin", "write:accounts", "pin", ["Pin to the profile", "Unpin"]),
  ...reaction("mute", "write:mutes", "mute", [
    "Mute the conversation: nothing in it notifies the user",
    "Unmute the conversation",
  ]),
  ownList("favourites", "Statuses that the user likes", likesFeed),
  ownList("bookmarks", "Statuses that the user has bookmarked", bookmarksFeed),
];

/** The endpoints of a verb and of its undo, by the verb's name in Mastodon's API. */
function reaction(
  name: string,
  scope: Scope,
  verb: keyof typeof tweetVerbs,
  [done, undone]: [string, string],
  body?: z.ZodObject,
): Endpoint[] {
  const access = needs(scope);
  const { run, undo } = tweetVerbs[verb];
  return [
    endpoint(`POST /api/v1/statuses/{id}/${name}`, done, {
      access,
      answer: Status,
      counts: verb,
      ...(body === undefined ? {} : { body }),
      handle: (request) => react(request, run),
    }),
    endpoint(`POST /api/v1/statuses/{id}/un${name}`, undone, {
      access,
      answer: Status,
      handle: (request) => react(request, undo),
    }),
  ];
}

/** Answers with the status as the viewer sees it afterwards. */
async function react(request: ApiRequest<User>, run: Verb<TweetId>["run"]): Promise<Json> {
  const { ctx, site, params } = request;
  const { tweet } = await getStatus(request, params.id);
  const shown = (await run(ctx, request.viewer.id, tweet.id)) ?? tweet.id;
  // Read again: the user's record has the pinned tweet.
  const viewer = await findUser(ctx, request.viewer.id);
  const item = await findFeedItem(ctx, viewer, shown);
  if (item === undefined) throw new NotFound("status");
  return await presentStatus({ ctx, site, viewer }, item);
}

type Own = "favourites" | "bookmarks";

function ownList(name: Own, summary: string, read: typeof likesFeed): Endpoint {
  return endpoint(`GET /api/v1/${name}`, summary, {
    access: needs(`read:${name}`),
    query: statusPaging,
    answer: z.array(Status),
    handle: (request) =>
      statusesPage(request, (view) => read(request.ctx, request.viewer.id, view)),
  });
}
