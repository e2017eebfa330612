import { type Request, type Response, Router } from "express";
import { z } from "zod";
import type { Ctx } from "../../context.ts";
import { NotFound } from "../../domain/errors.ts";
import { deleteTweet } from "../../domain/actions/delete-tweet.ts";
import { descendantsOf } from "../../domain/feeds/descendants.ts";
import type { FeedItem } from "../../domain/feeds/types.ts";
import { ancestorsOf, findFeedItems, findFeedItem, peopleWho } from "../../domain/feeds/thread.ts";
import { findUser, type User } from "../../domain/users/store.ts";
import { siteOrigin } from "../send-public.ts";
import { optionalScope, requireScope } from "./bearer.ts";
import { presentAccount } from "./entities/account.ts";
import { presentStatus, presentStatuses } from "./entities/status.ts";
import { presentEdits, presentSource } from "./entities/status-source.ts";
import { parseStatusId, statusId } from "./ids.ts";
import { readInput, texts } from "./input.ts";
import { accountLimits, pagingOf } from "./paging.ts";
import { sendJson, sendJsonList, sendPeople, sendStatus } from "./send.ts";

/** As many as a page has; further ones are not looked at. */
const idsAtOnce = 40;
const idsInput = z.object({ id: texts });

/** Single statuses, and what is around them. */
export function statusesApi(ctx: Ctx): Router {
  const router = Router();

  router.get("/api/v1/statuses", async (req, res) => {
    const viewer = optionalScope(res, "read:statuses");
    const ids = new Set(readInput(idsInput, req.query).id);
    const named = [...ids].slice(0, idsAtOnce).flatMap((id) => parseStatusId(id) ?? []);
    const items = await findFeedItems(ctx, viewer, named);
    sendJsonList(res, await presentStatuses(ctx, viewer, items, siteOrigin(ctx, req)));
  });

  router.get("/api/v1/statuses/:id", async (req, res) => {
    const viewer = optionalScope(res, "read:statuses");
    await sendStatus(ctx, res, viewer, await statusOf(ctx, req, viewer));
  });

  router.delete("/api/v1/statuses/:id", async (req, res) => {
    const viewer = requireScope(res, "write:statuses");
    const item = await statusOf(ctx, req, viewer);
    const { id, author } = item.retweet ?? item.tweet;
    if (author !== viewer.id) throw new NotFound("status");
    const status = await presentStatus(ctx, viewer, item, siteOrigin(ctx, req));
    await deleteTweet(ctx, viewer.id, id);
    if (status === undefined) throw new NotFound("author");
    // So that it can be written anew.
    sendJson(res, `${status.slice(0, -1)},"text":${JSON.stringify(item.tweet.text)}}`);
  });

  router.get("/api/v1/statuses/:id/context", async (req, res) => {
    const viewer = optionalScope(res, "read:statuses");
    await sendContext(ctx, res, viewer, await statusOf(ctx, req, viewer));
  });

  router.get("/api/v1/statuses/:id/source", async (req, res) => {
    const viewer = requireScope(res, "read:statuses");
    sendJson(res, presentSource(await statusOf(ctx, req, viewer)));
  });

  router.get("/api/v1/statuses/:id/history", async (req, res) => {
    const viewer = optionalScope(res, "read:statuses");
    const item = await statusOf(ctx, req, viewer);
    const site = siteOrigin(ctx, req);
    const author = await findUser(ctx, (item.retweet ?? item.tweet).author);
    if (author === undefined) throw new NotFound("author");
    sendJsonList(res, presentEdits(site, item, await presentAccount(ctx, site, author)));
  });

  for (const [path, did] of [
    ["favourited_by", "likes"],
    ["reblogged_by", "retweets"],
  ] as const)
    router.get(`/api/v1/statuses/:id/${path}`, async (req, res) => {
      const viewer = optionalScope(res, "read:accounts");
      const paging = pagingOf(req, accountLimits);
      const { tweet } = await statusOf(ctx, req, viewer);
      await sendPeople(ctx, res, await peopleWho(ctx, did, tweet.id, { viewer, ...paging }));
    });

  return router;
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
