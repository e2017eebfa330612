import { z } from "zod";
import type { Ctx } from "../../context.ts";
import { Invalid } from "../../domain/errors.ts";
import { notificationId } from "../../domain/notifications/api-names.ts";
import { singleNotifications } from "../../domain/notifications/single.ts";
import { markRead } from "../../domain/notifications/store.ts";
import { stampAt } from "../../domain/stamp.ts";
import { findUser, type User } from "../../domain/users/store.ts";
import { type Endpoint, endpoint, needs } from "./endpoint.ts";
import { stampOfNotification } from "./entities/notification.ts";
import { formatDate, id, moment } from "./entities/parts.ts";
import { anything, text, texts } from "./input.ts";

const Markers = z
  .strictObject({
    notifications: z
      .strictObject({ last_read_id: id, version: z.int(), updated_at: moment })
      .optional(),
  })
  .meta({ id: "Markers" });

/**
 * How far the viewer has read. Suzume knows that of notifications, where it is the same as on the page of
 * them and never goes back; of home timelines it does not.
 */
export const markerEndpoints: readonly Endpoint[] = [
  endpoint("GET /api/v1/markers", "Up to where the user has read", {
    access: needs("read:statuses"),
    query: z.object({ timeline: texts.describe("home and notifications.") }),
    answer: Markers,
    handle: async ({ ctx, viewer, query }) =>
      query.timeline.includes("notifications") ? await markersOf(ctx, viewer) : {},
  }),
  endpoint("POST /api/v1/markers", "Mark notifications as read up to one", {
    access: needs("write:statuses"),
    body: z.object({
      notifications: z.object({ last_read_id: text }).optional(),
      home: anything("Not kept."),
    }),
    answer: Markers,
    async handle({ ctx, viewer, body }) {
      const { last_read_id: last } = body.notifications ?? {};
      if (last === undefined) return {};
      if (!/^\d{1,40}$/.test(last))
        throw new Invalid({ "notifications[last_read_id]": "field.malformed" });
      const stamp = stampOfNotification(last);
      // What is still to come cannot have been read.
      await markRead(ctx, viewer, Math.min(stamp, stampAt(ctx.now(), "999")));
      return await markersOf(ctx, (await findUser(ctx, viewer.id)) ?? viewer);
    },
  }),
];

/** The id is that of the newest notification that was read, as clients look for it in their lists. */
async function markersOf(ctx: Ctx, viewer: User): Promise<z.output<typeof Markers>> {
  const stamp = viewer.notificationsRead;
  const { items } = await singleNotifications(ctx, viewer, { before: stamp + 1, limit: 1 });
  const [newest] = items;
  const notifications = {
    last_read_id: newest === undefined ? String(stamp) : notificationId(newest),
    version: 1,
    updated_at: formatDate(stamp),
  };
  return { notifications };
}
