import { type Request, Router } from "express";
import type { Ctx } from "../../context.ts";
import { bestEffort } from "../../domain/outage.ts";
import { markRead } from "../../domain/notifications/store.ts";
import { notificationsFeed } from "../../domain/notifications/grouped.ts";
import { readerOf, requireReader, wordsOf } from "../middleware/language.ts";
import { presentNavigation } from "../present/navigation.ts";
import { requireViewer } from "../middleware/session.ts";
import { presentNotifications } from "../present/notifications.ts";
import { presentPaging } from "../present/paging.ts";
import { presentSide } from "../present/side.ts";
import { beforeOf } from "./page-cursor.ts";

/** Notifications of the viewer. Looking at them marks them as read: docs/decisions/0011. */
export function notificationPages(ctx: Ctx): Router {
  const router = Router();
  router.get("/notifications", async (req, res) => {
    const viewer = requireViewer(res);
    const before = beforeOf(req);
    const feed = await notificationsFeed(ctx, viewer, before);
    const [newest] = feed.items;
    if (newest !== undefined && isLook(req)) {
      await bestEffort(markRead(ctx, viewer, newest.stamp));
      if (before === undefined)
        res.locals["nav"] = presentNavigation(ctx, readerOf(res), req.path, 0);
    }
    res.render("notifications/index", {
      page: { title: `${wordsOf(res).t("nav.notifications")} · Suzume`, path: "/notifications" },
      notifications: await presentNotifications(ctx, requireReader(res), feed.items),
      emptyMessage: feed.items.length === 0 ? wordsOf(res).t("notification.empty") : undefined,
      side: await presentSide(ctx, readerOf(res)),
      ...presentPaging(wordsOf(res), "/notifications", feed, before === undefined),
    });
  });
  return router;
}

/** False for a prefetch: the browser has not shown the page. */
function isLook(req: Request): boolean {
  return req.method === "GET" && !/prefetch/i.test(req.get("sec-purpose") ?? "");
}
