import type { Request, Response } from "express";
import { z } from "zod";
import type { Ctx } from "../../context.ts";
import { NotFound } from "../../domain/errors.ts";
import {
  clearNotifications,
  type Notification,
  removeNotifications,
} from "../../domain/notifications/store.ts";
import { countUnreadGroups } from "../../domain/notifications/grouped.ts";
import {
  countUnreadNotifications,
  notificationsAt,
  singleNotifications,
  type NotificationItem,
} from "../../domain/notifications/single.ts";
import type { User } from "../../domain/users/store.ts";
import { mayBeKept } from "../middleware/kept-pages.ts";
import { siteOrigin } from "../send-public.ts";
import { emptyObject, type Endpoint, endpoint, many, needs, one } from "./endpoint.ts";
import { momentOf, notificationId, presentTold, typeOf } from "./entities/notification.ts";
import { text, texts } from "./input.ts";
import { accountPaging, limited, linkHeader, pagingOf } from "./paging.ts";
import { sendJson, sendJsonList } from "./send.ts";

const kinds = "follow, favourite, reblog and mention.";
const filters = accountPaging.extend({
  types: texts.describe(kinds),
  exclude_types: texts.describe(kinds),
  account_id: text.describe("Those by this person."),
});
const counted = { schema: z.strictObject({ count: z.int().min(0) }) };

/** What others did that concerns the viewer. To read it here does not mark it as read: see markers.ts. */
export const notificationEndpoints: readonly Endpoint[] = [
  endpoint({
    method: "get",
    path: "/api/v1/notifications",
    summary: "All that are kept, the newest first; reading does not mark as read",
    access: needs("read:notifications"),
    query: filters,
    answer: many("Notification"),
    paged: true,
    async handle({ ctx, req, res, viewer, query }) {
      const view = { ...pagingOf(query), wants: wantedBy(query) };
      const { items, older } = await singleNotifications(ctx, viewer, view);
      const site = siteOrigin(ctx, req);
      const ids = items.map(notificationId);
      linkHeader(res, site, { newest: ids[0], oldest: ids.at(-1), older });
      mayBeKept(res);
      sendJsonList(res, await presentTold(ctx, viewer, items, site));
    },
  }),
  endpoint({
    method: "get",
    path: "/api/v1/notifications/unread_count",
    summary: "How many notifications are new, one by one",
    access: needs("read:notifications"),
    query: z.object({ limit: limited({ usual: 100, most: 1000 }) }),
    answer: counted,
    async handle({ ctx, res, viewer, query }) {
      res.json({ count: await countUnreadNotifications(ctx, viewer, query.limit) });
    },
  }),
  endpoint({
    method: "get",
    path: "/api/v2/notifications/unread_count",
    summary: "How many groups are new, as the badge of the site says",
    access: needs("read:notifications"),
    query: z.object({ limit: limited({ usual: 100, most: 100 }) }),
    answer: counted,
    async handle({ ctx, res, viewer, query }) {
      res.json({ count: Math.min(query.limit, await countUnreadGroups(ctx, viewer)) });
    },
  }),
  endpoint({
    method: "get",
    path: "/api/v1/notifications/{id}",
    summary: "One",
    access: needs("read:notifications"),
    answer: one("Notification"),
    async handle({ ctx, req, res, viewer }) {
      await sendOne(ctx, res, viewer, await toldOf(ctx, req, viewer));
    },
  }),
  endpoint({
    method: "post",
    path: "/api/v1/notifications/clear",
    summary: "Take all out",
    access: needs("write:notifications"),
    answer: emptyObject,
    async handle({ ctx, res, viewer }) {
      await clearNotifications(ctx, viewer.id);
      res.json({});
    },
  }),
  endpoint({
    method: "post",
    path: "/api/v1/notifications/{id}/dismiss",
    summary: "Take one out",
    access: needs("write:notifications"),
    answer: emptyObject,
    async handle({ ctx, req, res, viewer }) {
      await removeNotifications(ctx, viewer.id, [await toldOf(ctx, req, viewer)]);
      res.json({});
    },
  }),
];

/** Types that Suzume does not know match nothing. */
function wantedBy(query: z.output<typeof filters>): (item: Notification) => boolean {
  const { types, exclude_types: excluded, account_id: actor } = query;
  return (item) => {
    const type = typeOf[item.kind];
    if (types.length > 0 && !types.includes(type)) return false;
    return !excluded.includes(type) && (actor === undefined || actor === item.actor);
  };
}

/** What the path names, if the viewer may see it. Throws NotFound. */
async function toldOf(ctx: Ctx, req: Request, viewer: User): Promise<NotificationItem> {
  const id = String(req.params["id"]);
  const moment = momentOf(id);
  const told = moment === undefined ? [] : await notificationsAt(ctx, viewer, moment);
  const named = told.find((item) => notificationId(item) === id);
  if (named === undefined) throw new NotFound("notification");
  return named;
}

async function sendOne(
  ctx: Ctx,
  res: Response,
  viewer: User,
  item: NotificationItem,
): Promise<void> {
  const [json] = await presentTold(ctx, viewer, [item], siteOrigin(ctx, res.req));
  if (json === undefined) throw new NotFound("notification");
  sendJson(res, json);
}
