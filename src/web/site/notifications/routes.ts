import type { Request, Router } from "express";
import type { Ctx } from "../../../context.ts";
import { followRequestsPage } from "../../../domain/graph/follow-requests.ts";
import { readPeople } from "../../../domain/graph/people-lists.ts";
import { notificationsFeed } from "../../../domain/notifications/grouped.ts";
import { markRead } from "../../../domain/notifications/store.ts";
import { bestEffort } from "../../../domain/outage.ts";
import { presentNavigation, readBadges } from "../../layout/navigation.ts";
import { presentPaging, presentPeopleList } from "../../layout/paging.ts";
import { presentAnswers } from "../../layout/people.ts";
import { presentSide } from "../../layout/side.ts";
import { requireReader } from "../../request/language.ts";
import { presentNotifications, requestsPath } from "./view.ts";

/**
 * Notifications of the viewer, and users who ask to follow them. Looking at notifications marks them as read:
 * docs/decisions/0011.
 */
export function notificationPages(router: Router, ctx: Ctx): void {
  router.get("/notifications", async (req, res) => {
    const reader = requireReader(res);
    const { viewer, words, before } = reader;
    const feed = await notificationsFeed(ctx, viewer, before);
    const [newest] = feed.items;
    if (newest !== undefined && isLook(req)) {
      await bestEffort(markRead(ctx, viewer, newest.stamp));
      if (before === undefined) {
        const badges = { ...(await readBadges(ctx, viewer)), notifications: 0 };
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

  // The buttons of each user are those of a profile.
  router.get(requestsPath, async (_req, res) => {
    const reader = requireReader(res);
    const { viewer, words, before } = reader;
    const page = await readPeople(ctx, { viewer, before }, (range) =>
      followRequestsPage(ctx, viewer.id, range),
    );
    const empty = viewer.protected ? "requests.none" : "requests.open";
    const list = await presentPeopleList(ctx, reader, requestsPath, page, empty);
    res.render("follow-requests/index", {
      title: words.t("nav.requests"),
      ...list,
      people: list.people.map((person) => ({
        ...person,
        answers: presentAnswers(words, person.url),
      })),
    });
  });
}

/** False for a prefetch: the browser has not shown the page. */
export function isLook(req: Request): boolean {
  return req.method === "GET" && !/prefetch/i.test(req.get("sec-purpose") ?? "");
}
