import type { Response } from "express";
import type { Ctx } from "../../context.ts";
import { NotFound } from "../../domain/errors.ts";
import type { Page } from "../../domain/page.ts";
import type { FeedItem } from "../../domain/feeds/types.ts";
import type { PeoplePage } from "../../domain/graph/people-lists.ts";
import type { User } from "../../domain/users/store.ts";
import { mayBeKept } from "../middleware/kept-pages.ts";
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

/** The page of an unsupported list. */
export const nothing: Page<FeedItem> = { items: [], older: undefined };

/** Answers with one status as the viewer sees it. Throws NotFound if its author is gone. */
export async function sendStatus(
  ctx: Ctx,
  res: Response,
  viewer: User | undefined,
  item: FeedItem,
): Promise<void> {
  const status = await presentStatus(ctx, viewer, item, siteOrigin(ctx, res.req));
  if (status === undefined) throw new NotFound("author");
  sendJson(res, status);
}

/** Answers with a page of a timeline, and the links to what is beyond it. */
export async function sendTimeline(ctx: Ctx, res: Response, page: Page<FeedItem>): Promise<void> {
  await sendPage(ctx, res, page, ({ tweet, retweet }) => statusId(retweet ?? tweet));
}

/** The same of a list in the order of reactions, such as likes. */
export async function sendReacted(ctx: Ctx, res: Response, page: Page<FeedItem>): Promise<void> {
  await sendPage(ctx, res, page, ({ stamp }) => cursorId(stamp));
}

async function sendPage(
  ctx: Ctx,
  res: Response,
  { items, older, newer }: Page<FeedItem>,
  idOf: (item: FeedItem) => string,
): Promise<void> {
  const site = siteOrigin(ctx, res.req);
  const statuses = await presentStatuses(ctx, viewerOf(res), items, site);
  const [first, last] = [items[0], items.at(-1)];
  linkHeader(res, site, {
    newest: first && idOf(first),
    oldest: last && idOf(last),
    older,
    newer,
  });
  mayBeKept(res);
  sendJsonList(res, statuses);
}

/** Answers with a page of people, and the links to what is beyond it. */
export async function sendPeople(ctx: Ctx, res: Response, page: PeoplePage): Promise<void> {
  const site = siteOrigin(ctx, res.req);
  const { items, newest, oldest, older, newer } = page;
  linkHeader(res, site, {
    newest: newest === undefined ? undefined : cursorId(newest),
    oldest: oldest === undefined ? undefined : cursorId(oldest),
    older,
    newer,
  });
  sendJsonList(res, await presentAccounts(ctx, site, items));
}
