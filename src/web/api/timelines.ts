import type { z } from "zod";
import { foldTag } from "../../domain/tweets/text.ts";
import { globalFeed, homeFeed } from "../../domain/feeds/feeds.ts";
import { tagFeed } from "../../domain/search/find-tweets.ts";
import { type Endpoint, endpoint, knows, many, needs } from "./endpoint.ts";
import { flag } from "./input.ts";
import { pagingOf, statusPaging } from "./paging.ts";
import { nothing, sendTimeline } from "./send.ts";

const filters = statusPaging.extend({
  only_media: flag.describe("Answers empty: there is none."),
  local: flag.describe("All are local."),
  remote: flag.describe("Answers empty: all are local."),
});

/** Timelines that are not one user's. */
export const timelineEndpoints: readonly Endpoint[] = [
  endpoint({
    method: "get",
    path: "/api/v1/timelines/home",
    summary: "Home: statuses of the user and of the accounts that the user follows",
    access: needs("read:statuses"),
    query: statusPaging,
    answer: many("Status"),
    paged: true,
    async handle({ ctx, res, viewer, query }) {
      await sendTimeline(ctx, res, await homeFeed(ctx, viewer, pagingOf(query)));
    },
  }),
  endpoint({
    method: "get",
    path: "/api/v1/timelines/public",
    summary: "Everybody's newest",
    access: knows("read:statuses"),
    query: filters,
    answer: many("Status"),
    paged: true,
    async handle({ ctx, res, viewer, query }) {
      const view = { viewer, ...pagingOf(query) };
      await sendTimeline(ctx, res, isForOthers(query) ? nothing : await globalFeed(ctx, view));
    },
  }),
  endpoint({
    method: "get",
    path: "/api/v1/timelines/tag/{tag}",
    summary: "What has a hashtag",
    access: knows("read:statuses"),
    query: filters,
    answer: many("Status"),
    paged: true,
    async handle({ ctx, req, res, viewer, query }) {
      const tag = foldTag(String(req.params["tag"]));
      const isEmpty = tag === undefined || isForOthers(query);
      const view = { viewer, ...pagingOf(query) };
      await sendTimeline(ctx, res, isEmpty ? nothing : await tagFeed(ctx, tag, view));
    },
  }),
];

/** Tweets of other servers, or with pictures: there are none. */
function isForOthers({ remote, only_media: onlyMedia }: z.output<typeof filters>): boolean {
  return remote === true || onlyMedia === true;
}
