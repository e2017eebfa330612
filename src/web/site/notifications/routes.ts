import { type Request, Router } from "express";
import type { Ctx } from "../../../context.ts";
import { bestEffort } from "../../../domain/outage.ts";
import { markRead } from "../../../domain/notifications/store.ts";
import { notificationsFeed } from "../../../domain/notifications/grouped.ts";
import { requireReader } from "../../request/language.ts";
import { presentNavigation, readBadges } from "../../layout/navigation.ts";
import { presentPaging } from "../../layout/paging.ts";
import { presentNotifications } from "./view.ts";
import { presentSide } from "../../layout/side.ts";

/** Notifications of the viewer. Looking at them marks them as read: docs/decisions/0011. */
export function notificationPages(ctx: Ctx): Router {
  const router = Router();
  router.get("/notifications", async (req, res) => {
    const reader = requireReader(res);
    const { viewer, words, before } = reader;
    const feed = await notificationsFeed(ctx, viewer, before);
    const [newest] = feed.items;
    if (newest !== undefined && isLook(req)) {
      await bestEffort(markRead(ctx, viewer, newest.stamp));
      if (before === undefined) {
        const badges = { ...(await readBadges(ctx, viewer)), unread: 0 };
        res.locals.nav = presentNavigation(ctx, reader, { path: req.path, next: "/" }, badges);
      }
    }
    res.render("notifications/index", {
      title: words.t("nav.notifications"),
      notifications: await presentNotifications(ctx, reader, feed.items),
      side: await presentSide(ctx, reader),
      ...presentPaging(reader, "/notifications", feed, "notification.empty"),
    });
  });
  return router;
}

/** False for a prefetch: the browser has not shown the page. */
export function isLook(req: Request): boolean {
  return req.method === "GET" && !/prefetch/i.test(req.get("sec-purpose") ?? "");
}
