import { type Request, type Response, Router } from "express";
import { z } from "zod";
import type { Ctx } from "../../context.ts";
import { NotFound } from "../../domain/errors.ts";
import {
  clearNotifications,
  type Notification,
  removeNotifications,
} from "../../domain/notifications/store.ts";
import { countUnread } from "../../domain/notifications/grouped.ts";
import {
  countUnreadSingles,
  notificationsAt,
  singleNotifications,
  type NotificationItem,
} from "../../domain/notifications/single.ts";
import type { User } from "../../domain/users/store.ts";
import { mayBeKept } from "../middleware/kept-pages.ts";
import { siteOrigin } from "../send-public.ts";
import { requireScope } from "./bearer.ts";
import { momentOf, notificationId, presentTold, typeOf } from "./entities/notification.ts";
import { readInput, text, texts } from "./input.ts";
import { accountLimits, limited, linkHeader, pagingOf } from "./paging.ts";
import { sendJson, sendJsonList } from "./send.ts";

const filters = z.object({ types: texts, exclude_types: texts, account_id: text });
const countedTo = z.object({ limit: limited({ usual: 100, most: 1000 }) });
const groupsCountedTo = z.object({ limit: limited({ usual: 100, most: 100 }) });

/** What others did that concerns somebody. To read it here is not to have read it: see markers.ts. */
export function notificationsApi(ctx: Ctx): Router {
  const router = Router();

  router.get("/api/v1/notifications", async (req, res) => {
    const viewer = requireScope(res, "read:notifications");
    const wants = wantedBy(req);
    const paging = pagingOf(req, accountLimits);
    const { items, older } = await singleNotifications(ctx, viewer, { ...paging, wants });
    const site = siteOrigin(ctx, req);
    const ids = items.map(notificationId);
    linkHeader(res, site, { newest: ids[0], oldest: ids.at(-1), older });
    mayBeKept(res);
    sendJsonList(res, await presentTold(ctx, viewer, items, site));
  });

  router.get("/api/v1/notifications/unread_count", async (req, res) => {
    const viewer = requireScope(res, "read:notifications");
    const { limit } = readInput(countedTo, req.query);
    res.json({ count: await countUnreadSingles(ctx, viewer, limit) });
  });

  router.get("/api/v2/notifications/unread_count", async (req, res) => {
    const viewer = requireScope(res, "read:notifications");
    const { limit } = readInput(groupsCountedTo, req.query);
    res.json({ count: Math.min(limit, await countUnread(ctx, viewer)) });
  });

  router.get("/api/v1/notifications/:id", async (req, res) => {
    const viewer = requireScope(res, "read:notifications");
    await sendOne(ctx, res, viewer, await toldOf(ctx, req, viewer));
  });

  router.post("/api/v1/notifications/clear", async (_req, res) => {
    const { id } = requireScope(res, "write:notifications");
    await clearNotifications(ctx, id);
    res.json({});
  });

  router.post("/api/v1/notifications/:id/dismiss", async (req, res) => {
    const viewer = requireScope(res, "write:notifications");
    await removeNotifications(ctx, viewer.id, [await toldOf(ctx, req, viewer)]);
    res.json({});
  });

  return router;
}

/** What an app asks for by types and by who did it; types that Suzume does not know are of nothing. */
function wantedBy(req: Request): (one: Notification) => boolean {
  const { types, exclude_types: excluded, account_id: actor } = readInput(filters, req.query);
  return (one) => {
    const type = typeOf[one.kind];
    if (types.length > 0 && !types.includes(type)) return false;
    return !excluded.includes(type) && (actor === undefined || actor === one.actor);
  };
}

/** What the path names, if the viewer may see it. Throws NotFound. */
async function toldOf(ctx: Ctx, req: Request, viewer: User): Promise<NotificationItem> {
  const id = String(req.params["id"]);
  const moment = momentOf(id);
  const told = moment === undefined ? [] : await notificationsAt(ctx, viewer, moment);
  const one = told.find((some) => notificationId(some) === id);
  if (one === undefined) throw new NotFound("notification");
  return one;
}

async function sendOne(
  ctx: Ctx,
  res: Response,
  viewer: User,
  one: NotificationItem,
): Promise<void> {
  const [json] = await presentTold(ctx, viewer, [one], siteOrigin(ctx, res.req));
  if (json === undefined) throw new NotFound("notification");
  sendJson(res, json);
}
