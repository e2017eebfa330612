import type { Response } from "express";
import { z } from "zod";
import { Invalid } from "../../domain/errors.ts";
import { markRead } from "../../domain/notifications/store.ts";
import { stampAt } from "../../domain/stamp.ts";
import { findUser, type User } from "../../domain/users/store.ts";
import { type Endpoint, endpoint, needs, one } from "./endpoint.ts";
import { formatDate } from "./entities/account.ts";
import { lastIdOf, momentOf } from "./entities/notification.ts";
import { anything, text, texts } from "./input.ts";

/**
 * How far the viewer has read. Suzume knows that of notifications, where it is the same as on the page of
 * them and never goes back; of home timelines it does not.
 */
export const markerEndpoints: readonly Endpoint[] = [
  endpoint({
    method: "get",
    path: "/api/v1/markers",
    summary: "How far one has read",
    access: needs("read:statuses"),
    query: z.object({ timeline: texts.describe("home and notifications.") }),
    answer: one("Markers"),
    handle({ res, viewer, query }) {
      sendMarkers(res, query.timeline.includes("notifications") ? viewer : undefined);
    },
  }),
  endpoint({
    method: "post",
    path: "/api/v1/markers",
    summary: "Mark notifications as read up to one",
    access: needs("write:statuses"),
    body: z.object({
      notifications: z.object({ last_read_id: text }).optional(),
      home: anything("Not kept."),
    }),
    answer: one("Markers"),
    async handle({ ctx, res, viewer, body }) {
      const { last_read_id: id } = body.notifications ?? {};
      if (id === undefined) {
        sendMarkers(res, undefined);
        return;
      }
      const stamp = momentOf(id);
      if (stamp === undefined)
        throw new Invalid({ "notifications[last_read_id]": "field.malformed" });
      // What is still to come cannot have been read.
      await markRead(ctx, viewer, Math.min(stamp, stampAt(ctx.now(), "999")));
      sendMarkers(res, await findUser(ctx, viewer.id));
    },
  }),
];

function sendMarkers(res: Response, viewer: User | undefined): void {
  const stamp = viewer?.notificationsRead ?? 0;
  const notifications = {
    last_read_id: lastIdOf(stamp),
    version: 1,
    updated_at: formatDate(stamp),
  };
  res.json(stamp === 0 ? {} : { notifications });
}
