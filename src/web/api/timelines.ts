import { z } from "zod";
import { hasPictures } from "../../domain/feeds/feed-items.ts";
import { globalFeed, homeFeed } from "../../domain/feeds/feeds.ts";
import { tagFeed } from "../../domain/search/tag-feed.ts";
import { foldTag } from "../../domain/tweets/text.ts";
import { type Endpoint, endpoint, knows, needs } from "./endpoint.ts";
import { Status } from "./entities/status.ts";
import { flag, texts } from "./input.ts";
import { emptyPage, statusPagingOf, statusesPage, statusPaging } from "./paging.ts";

const filters = statusPaging.extend({
  only_media: flag.describe("Only those with pictures."),
  local: flag.describe("All are local."),
  remote: flag.describe("Answers empty: all are local."),
});

/** Max further hashtags of each kind; Mastodon uses the same number. */
const tagsEach = 4;

const tagFilters = filters.extend({
  any: texts.describe("Up to four hashtags that stand for the tag as well."),
  all: texts.describe("Up to four hashtags that a status needs, too."),
  none: texts.describe("Up to four hashtags that a status must not have."),
});

/** Home, and timelines of all authors. */
export const timelineEndpoints: readonly Endpoint[] = [
  endpoint("GET /api/v1/timelines/home", "Statuses of the user and of followed accounts", {
    access: needs("read:statuses"),
    query: statusPaging,
    answer: z.array(Status),
    async handle(request) {
      const { ctx, viewer, query } = request;
      return await statusesPage(
        request,
        await homeFeed(ctx, viewer, await statusPagingOf(ctx, query)),
      );
    },
  }),
  endpoint("GET /api/v1/timelines/public", "The newest statuses of all accounts", {
    access: knows("read:statuses"),
    query: filters,
    answer: z.array(Status),
    async handle(request) {
      const { ctx, viewer, query } = request;
      const view = { viewer, ...(await statusPagingOf(ctx, query)), only: wantedBy(query) };
      return await statusesPage(
        request,
        isUnsupported(query) ? emptyPage : await globalFeed(ctx, view),
      );
    },
  }),
  endpoint("GET /api/v1/timelines/tag/{tag}", "Statuses with a hashtag", {
    access: knows("read:statuses"),
    query: tagFilters,
    answer: z.array(Status),
    async handle(request) {
      const { ctx, viewer, params, query } = request;
      const tag = foldTag(params.tag);
      const isEmpty = tag === undefined || isUnsupported(query);
      const view = { viewer, ...(await statusPagingOf(ctx, query)), only: wantedBy(query) };
      const further = {
        any: foldAll(query.any),
        all: foldAll(query.all),
        none: foldAll(query.none),
      };
      const page = isEmpty ? emptyPage : await tagFeed(ctx, tag, view, further);
      return await statusesPage(request, page);
    },
  }),
];

/** Tweets of other servers: there are none. */
function isUnsupported({ remote }: z.output<typeof filters>): boolean {
  return remote === true;
}

function foldAll(tags: readonly string[]): string[] {
  return tags.slice(0, tagsEach).flatMap((tag) => foldTag(tag) ?? []);
}

function wantedBy({ only_media: onlyMedia }: z.output<typeof filters>) {
  return onlyMedia === true ? hasPictures : undefined;
}
