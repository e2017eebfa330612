import type { Request, Response } from "express";
import { z } from "zod";
import type { Ctx } from "../../context.ts";
import { NotFound } from "../../domain/errors.ts";
import { deleteTweet } from "../../domain/actions/delete-tweet.ts";
import {
  descendantsOf,
  ancestorsOf,
  findFeedItems,
  findFeedItem,
  peopleWhoReacted,
} from "../../domain/feeds/thread.ts";
import type { FeedItem } from "../../domain/feeds/types.ts";
import { findUser, type User } from "../../domain/users/store.ts";
import { siteOrigin } from "../send-public.ts";
import { type Endpoint, endpoint, knows, many, needs, one } from "./endpoint.ts";
import { presentAccount } from "./entities/account.ts";
import { presentStatus, presentStatuses } from "./entities/status.ts";
import { presentEdits, presentSource } from "./entities/status-source.ts";
import { parseStatusId, statusId } from "./ids.ts";
import { texts } from "./input.ts";
import { accountPaging, pagingOf } from "./paging.ts";
import { sendJson, sendJsonList, sendPeople, sendStatus } from "./send.ts";

/** Max ids in a request, as many as a page has; further ones are ignored. */
const idsAtOnce = 40;

/** Single statuses, and what is around them. */
export const statusEndpoints: readonly Endpoint[] = [
  endpoint({
    method: "get",
    path: "/api/v1/statuses",
    summary: "Several at once",
    access: knows("read:statuses"),
    query: z.object({ id: texts }),
    answer: many("Status"),
    async handle({ ctx, req, res, viewer, query }) {
      const ids = [...new Set(query.id)].slice(0, idsAtOnce);
      const named = ids.flatMap((id) => parseStatusId(id) ?? []);
      const items = await findFeedItems(ctx, viewer, named);
      sendJsonList(res, await presentStatuses(ctx, viewer, items, siteOrigin(ctx, req)));
    },
  }),
  endpoint({
    method: "get",
    path: "/api/v1/statuses/{id}",
    summary: "One",
    access: knows("read:statuses"),
    answer: one("Status"),
    async handle({ ctx, req, res, viewer }) {
      await sendStatus(ctx, res, viewer, await statusOf(ctx, req, viewer));
    },
  }),
  endpoint({
    method: "delete",
    path: "/api/v1/statuses/{id}",
    summary: "Delete one's own; the answer has its text, to be written again",
    access: needs("write:statuses"),
    answer: one("DeletedStatus"),
    async handle({ ctx, req, res, viewer }) {
      const item = await statusOf(ctx, req, viewer);
      const { id, author } = item.retweet ?? item.tweet;
      if (author !== viewer.id) throw new NotFound("status");
      const status = await presentStatus(ctx, viewer, item, siteOrigin(ctx, req));
      await deleteTweet(ctx, viewer.id, id);
      if (status === undefined) throw new NotFound("author");
      sendJson(res, `${status.slice(0, -1)},"text":${JSON.stringify(item.tweet.text)}}`);
    },
  }),
  endpoint({
    method: "get",
    path: "/api/v1/statuses/{id}/context",
    summary: "What it answers, and what answers it",
    access: knows("read:statuses"),
    answer: one("Context"),
    async handle({ ctx, req, res, viewer }) {
      await sendContext(ctx, res, viewer, await statusOf(ctx, req, viewer));
    },
  }),
  endpoint({
    method: "get",
    path: "/api/v1/statuses/{id}/source",
    summary: "As it was typed",
    access: needs("read:statuses"),
    answer: one("StatusSource"),
    async handle({ ctx, req, res, viewer }) {
      sendJson(res, presentSource(await statusOf(ctx, req, viewer)));
    },
  }),
  endpoint({
    method: "get",
    path: "/api/v1/statuses/{id}/history",
    summary: "Its only version, as there is no editing",
    access: knows("read:statuses"),
    answer: many("StatusEdit"),
    async handle({ ctx, req, res, viewer }) {
      const item = await statusOf(ctx, req, viewer);
      const site = siteOrigin(ctx, req);
      const author = await findUser(ctx, (item.retweet ?? item.tweet).author);
      if (author === undefined) throw new NotFound("author");
      sendJsonList(res, presentEdits(site, item, await presentAccount(ctx, site, author)));
    },
  }),
  peopleOf("favourited_by", "Who likes it", "likes"),
  peopleOf("reblogged_by", "Who retweeted it", "retweets"),
];

function peopleOf(name: string, summary: string, did: "likes" | "retweets"): Endpoint {
  return endpoint({
    method: "get",
    path: `/api/v1/statuses/{id}/${name}`,
    summary,
    access: knows("read:accounts"),
    query: accountPaging,
    answer: many("Account"),
    paged: true,
    async handle({ ctx, req, res, viewer, query }) {
      const { tweet } = await statusOf(ctx, req, viewer);
      const view = { viewer, ...pagingOf(query) };
      await sendPeople(ctx, res, await peopleWhoReacted(ctx, did, tweet.id, view));
    },
  });
}

/** What the path names, if the viewer may see it. Throws NotFound. */
export async function statusOf(
  ctx: Ctx,
  req: Request,
  viewer: User | undefined,
): Promise<FeedItem> {
  const item = await findStatus(ctx, viewer, String(req.params["id"]));
  if (item === undefined) throw new NotFound("status");
  return item;
}

/** What an id names, if the viewer may see it. */
export async function findStatus(
  ctx: Ctx,
  viewer: User | undefined,
  id: string,
): Promise<FeedItem | undefined> {
  const named = parseStatusId(id);
  const item = named && (await findFeedItem(ctx, viewer, named.id));
  return item !== undefined && statusId(item.retweet ?? item.tweet) === id ? item : undefined;
}

async function sendContext(
  ctx: Ctx,
  res: Response,
  viewer: User | undefined,
  { tweet }: FeedItem,
): Promise<void> {
  const site = siteOrigin(ctx, res.req);
  const spell = async (items: FeedItem[]) =>
    `[${(await presentStatuses(ctx, viewer, items, site)).join(",")}]`;
  const [above, below] = await Promise.all([
    ancestorsOf(ctx, viewer, tweet),
    descendantsOf(ctx, viewer, tweet.id),
  ]);
  const ancestors = await spell(above.items.filter((item) => item !== undefined));
  sendJson(res, `{"ancestors":${ancestors},"descendants":${await spell(below)}}`);
}
