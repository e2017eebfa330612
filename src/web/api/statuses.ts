import { z } from "zod";
import { withdrawTweet } from "../../domain/actions/delete-tweet.ts";
import { tweetVerbs, type Verb } from "../../domain/actions/verbs.ts";
import type { Scope } from "../../domain/apps/scopes.ts";
import { NotFound, required } from "../../domain/errors.ts";
import { descendantsOf } from "../../domain/feeds/conversation.ts";
import { bookmarksFeed, likesFeed } from "../../domain/feeds/feeds.ts";
import {
  ancestorsOf,
  findFeedItem,
  findFeedItems,
  getFeedItem,
  peopleWhoReacted,
} from "../../domain/feeds/thread.ts";
import type { FeedItem } from "../../domain/feeds/types.ts";
import type { TweetId } from "../../domain/ids.ts";
import { findTombstone } from "../../domain/tweets/store.ts";
import { findUser, type User } from "../../domain/users/store.ts";
import { signedPictureUrl } from "../layout/pictures.ts";
import { type ApiRequest, endpoint, type Endpoint, knows, needs } from "./endpoint.ts";
import { Account } from "./entities/account.ts";
import { entity, id, typed } from "./entities/fields.ts";
import { type ApiView, type Json, listOf, toJson, withFields } from "./entities/parts.ts";
import { mediaEntity } from "./entities/media.ts";
import { presentStatus, presentStatuses, Status } from "./entities/status.ts";
import { type NamedStatus, parseStatusId } from "./ids.ts";
import { flag, openVisibility, texts } from "./input.ts";
import { accountPaging, accountsPage, statusesPage, statusPaging } from "./paging.ts";

/** Max ids in a request, as many as a page has; further ones are ignored. */
const idsAtOnce = 40;

const DeletedStatus = z.looseObject({ id, text: typed }).meta({ id: "DeletedStatus" });
/** Apps send it in the address or in the body. */
const deletion = z.object({
  delete_media: flag.describe("Its pictures go at once, not as uploads within a day."),
});
const Context = entity("Context", { ancestors: z.array(Status), descendants: z.array(Status) });

/** Single statuses, what is around them, what a viewer does with them, and the viewer's lists of these. */
export const statusEndpoints: readonly Endpoint[] = [
  endpoint("GET /api/v1/statuses", "Several at once", {
    access: knows("read:statuses"),
    query: z.object({ id: texts }),
    answer: z.array(Status),
    async handle(request) {
      const ids = [...new Set(request.query.id)].slice(0, idsAtOnce);
      const named = new Map(
        ids.flatMap((raw) => parseStatusId(raw) ?? []).map((one) => [one.id, one]),
      );
      const items = await findFeedItems(request.ctx, request.viewer, [...named.keys()]);
      const meant = items.filter((item) =>
        isMeant(item, named.get((item.retweet ?? item.tweet).id)),
      );
      return listOf(await presentStatuses(request, meant));
    },
  }),
  endpoint("GET /api/v1/statuses/{id}", "One", {
    access: knows("read:statuses"),
    answer: Status,
    handle: async (request) => presentStatus(request, await getStatus(request, request.params.id)),
  }),
  endpoint("DELETE /api/v1/statuses/{id}", "Delete; the answer has the text, to edit it", {
    access: needs("write:statuses"),
    query: deletion,
    body: deletion,
    answer: DeletedStatus,
    async handle(request) {
      const { ctx, site, viewer, params, query, body } = request;
      const item = await getStatus(request, params.id);
      const { id: tweet, author } = item.retweet ?? item.tweet;
      if (author !== viewer.id) throw new NotFound("status");
      const status = JSON.parse(await presentStatus(request, item)) as object;
      const isForGood = query.delete_media === true || body.delete_media === true;
      const pictures = await withdrawTweet(ctx, viewer.id, tweet, isForGood);
      const addressOf = signedPictureUrl(ctx, viewer);
      const media_attachments = pictures.map((one) => mediaEntity(site, one, addressOf));
      return toJson({ ...status, text: item.tweet.text, media_attachments });
    },
  }),
  endpoint("GET /api/v1/statuses/{id}/context", "The statuses that it answers, and its answers", {
    access: knows("read:statuses"),
    answer: Context,
    async handle(request) {
      const { ctx, viewer, params } = request;
      const { tweet } = await getStatus(request, params.id);
      const [above, below] = await Promise.all([
        ancestorsOf(ctx, viewer, tweet),
        descendantsOf(ctx, viewer, tweet.id),
      ]);
      const visible = above.items.filter((item) => typeof item === "object");
      const ancestors = listOf(await presentStatuses(request, visible));
      const descendants = listOf(await presentStatuses(request, below));
      return withFields(toJson({}), { ancestors, descendants });
    },
  }),
  peopleOf("favourited_by", "Accounts that like it", "likes"),
  peopleOf("reblogged_by", "Accounts that retweeted it", "retweets"),
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

function peopleOf(name: string, summary: string, did: "likes" | "retweets"): Endpoint {
  return endpoint(`GET /api/v1/statuses/{id}/${name}`, summary, {
    access: knows("read:accounts"),
    query: accountPaging,
    answer: z.array(Account),
    async handle(request) {
      const { tweet } = await getStatus(request, request.params.id);
      return await accountsPage(request, (view) =>
        peopleWhoReacted(request.ctx, did, tweet.id, view),
      );
    },
  });
}

/** The status with this id, if the viewer may see it. Throws NotFound. */
export async function getStatus(view: ApiView, raw: string): Promise<FeedItem> {
  return required(await findStatus(view, raw), "status");
}

/** Undefined if it is gone or hidden from the viewer. */
export async function findStatus({ ctx, viewer }: ApiView, raw: string) {
  const named = parseStatusId(raw);
  const item = named && (await findFeedItem(ctx, viewer, named.id));
  return item !== undefined && isMeant(item, named) ? item : undefined;
}

function isMeant({ stamp }: Pick<FeedItem, "stamp">, named: NamedStatus | undefined): boolean {
  return named !== undefined && named.first <= stamp && stamp <= named.last;
}

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
      body,
      handle: (request) => react(request, run),
    }),
    endpoint(`POST /api/v1/statuses/{id}/un${name}`, undone, {
      access,
      answer: Status,
      handle: (request) => takeBack(request, undo),
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
  const item = await getFeedItem(ctx, viewer, shown);
  return await presentStatus({ ctx, site, viewer }, item);
}

/** The same; of a status that the viewer may no longer see, without showing it: throws NotFound afterwards. */
async function takeBack(request: ApiRequest<User>, undo: Verb<TweetId>["undo"]): Promise<Json> {
  const { ctx, viewer, params } = request;
  const named = parseStatusId(params.id);
  const isSeen = (await findStatus(request, params.id)) !== undefined;
  const tweet = isSeen || named === undefined ? undefined : await findTombstone(ctx, named.id);
  if (tweet !== undefined && isMeant({ stamp: tweet.createdAt }, named))
    await undo(ctx, viewer.id, tweet.id);
  return await react(request, undo);
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
    handle: (request) =>
      statusesPage(request, (view) => read(request.ctx, request.viewer.id, view)),
  });
}
