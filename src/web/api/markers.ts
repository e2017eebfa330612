import { z } from "zod";
import type { Ctx } from "../../context.ts";
import { Invalid } from "../../domain/errors.ts";
import { lastReadAtHome, markHomeRead } from "../../domain/feeds/feeds.ts";
import { notificationId } from "../../domain/notifications/api-names.ts";
import { singleNotifications } from "../../domain/notifications/single.ts";
import { markRead } from "../../domain/notifications/store.ts";
import { type Stamp, stampAt } from "../../domain/ids.ts";
import { findUser, type User } from "../../domain/users/store.ts";
import { type Endpoint, scoped } from "./endpoint.ts";
import { entity, formatDate, id, moment } from "./entities/fields.ts";
import { stampOfNotification, statusBound, statusId } from "./ids.ts";
import { text, texts } from "./input.ts";
import { stampOf } from "./paging.ts";

const Marker = entity("Marker", { last_read_id: id, version: z.int(), updated_at: moment });
const Markers = entity("Markers", { notifications: Marker.optional(), home: Marker.optional() });
type Timeline = "notifications" | "home";

const marker = z.object({ last_read_id: text }).optional();

const ofUser = scoped("read:statuses", "write:statuses");

/**
 * How far the viewer has read notifications and home, the same as on the site. Markers never go back. The time of a
 * marker is that of what was read.
 */
export const markerEndpoints: readonly Endpoint[] = [
  ofUser("GET /api/v1/markers", "Up to where the user has read", {
    query: z.object({ timeline: texts.describe("home and notifications.") }),
    answer: Markers,
    handle: ({ ctx, viewer, query }) => readMarkers(ctx, viewer, query.timeline),
  }),
  ofUser("POST /api/v1/markers", "Mark home or notifications as read up to one", {
    body: z.object({ notifications: marker, home: marker }),
    answer: Markers,
    async handle({ ctx, viewer, body }) {
      const wanted = (["notifications", "home"] as const).filter(
        (name) => body[name]?.last_read_id !== undefined,
      );
      for (const name of wanted) {
        const last = body[name]?.last_read_id ?? "";
        if (!/^\d{1,40}$/.test(last))
          throw new Invalid({ [`${name}[last_read_id]`]: "field.malformed" });
        await mark(ctx, viewer, name, last);
      }
      return await readMarkers(ctx, (await findUser(ctx, viewer.id)) ?? viewer, wanted);
    },
  }),
];

/** What is still to come cannot have been read. */
async function mark(ctx: Ctx, viewer: User, name: Timeline, last: string): Promise<void> {
  if (name === "home") {
    const stamp = await stampOf(ctx, statusBound(last), (named) => named.last);
    await markHomeRead(ctx, viewer, stamp ?? 0);
  } else {
    const stamp = stampOfNotification(last);
    await markRead(ctx, viewer, Math.min(stamp, stampAt(ctx.now(), "999")));
  }
}

async function readMarkers(ctx: Ctx, viewer: User, wanted: readonly string[]) {
  const has = (name: Timeline) => wanted.includes(name);
  return {
    ...(has("notifications") && { notifications: await notificationsMarker(ctx, viewer) }),
    ...(has("home") && { home: await homeMarker(ctx, viewer) }),
  } satisfies z.output<typeof Markers>;
}

/** The id is that of the newest notification that was read, as clients look for it in their lists. */
async function notificationsMarker(ctx: Ctx, viewer: User): Promise<z.output<typeof Marker>> {
  const stamp = viewer.notificationsRead;
  const { items } = await singleNotifications(ctx, viewer, { before: stamp + 1, limit: 1 });
  const [newest] = items;
  return markerAt(stamp, newest && notificationId(newest));
}

/** Marker of the home timeline. */
async function homeMarker(ctx: Ctx, viewer: User): Promise<z.output<typeof Marker>> {
  const item = await lastReadAtHome(ctx, viewer);
  return markerAt(viewer.homeRead, item && statusId(item.retweet ?? item.tweet));
}

function markerAt(stamp: Stamp, last: string | undefined): z.output<typeof Marker> {
  return { last_read_id: last ?? String(stamp), version: 1, updated_at: formatDate(stamp) };
}
