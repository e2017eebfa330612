import type { Response } from "express";
import type { Ctx } from "../../context.ts";
import type { Listed } from "../../domain/tweets/read-feed.ts";
import { NotFound } from "../../domain/errors.ts";
import type { Page } from "../../domain/page.ts";
import type { PeoplePage } from "../../domain/users/people-page.ts";
import type { User } from "../../domain/users/store.ts";
import { viewerOf } from "../middleware/session.ts";
import { siteOrigin } from "../send-public.ts";
import { presentAccounts } from "./entities/account.ts";
import { presentStatus, presentStatuses } from "./entities/status.ts";
import { cursorId, statusId } from "./ids.ts";
import { linkHeader } from "./paging.ts";

/** Answers with JSON that is spelled already. */
export function sendJson(res: Response, json: string): void {
  res.setHeader("Content-Type", "application/json; charset=utf-8");
  res.send(json);
}

/** Answers with a list of what is spelled already. */
export function sendJsonList(res: Response, items: string[]): void {
  sendJson(res, `[${items.join(",")}]`);
}

/** Answers with one status as the viewer sees it. Throws NotFound if its author is gone. */
export async function sendStatus(
  ctx: Ctx,
  res: Response,
  viewer: User | undefined,
  item: Listed,
): Promise<void> {
  const status = await presentStatus(ctx, viewer, item, siteOrigin(ctx, res.req));
  if (status === undefined) throw new NotFound("author");
  sendJson(res, status);
}

/** Answers with a page of a list of people, and the links to what is beyond it. */
export async function sendPeople(ctx: Ctx, res: Response, page: PeoplePage): Promise<void> {
  const site = siteOrigin(ctx, res.req);
  const { newest, oldest, older } = page;
  const ids = newest === undefined || oldest === undefined ? [] : [newest, oldest].map(cursorId);
  linkHeader(res, site, { ids, older });
  sendJsonList(res, await presentAccounts(ctx, site, page.items));
}

/** Answers with a page of a timeline, and the links to what is beyond it. */
export async function sendTimeline(ctx: Ctx, res: Response, page: Page<Listed>): Promise<void> {
  const site = siteOrigin(ctx, res.req);
  const statuses = await presentStatuses(ctx, viewerOf(res), page.items, site);
  const ids = page.items.map(({ tweet, retweet }) => statusId(retweet ?? tweet));
  linkHeader(res, site, { ids, older: page.older });
  sendJsonList(res, statuses);
}

/** What is not offered is empty. */
export const nothing: Page<Listed> = { items: [], older: undefined };
