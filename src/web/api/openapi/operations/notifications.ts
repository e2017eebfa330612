import { z } from "zod";
import { emptyObject, many, needs, one, type Operation, paging } from "../operation.ts";

const reads = needs("read:notifications");
const writes = needs("write:notifications");
const types = z.array(z.enum(["follow", "favourite", "reblog", "mention"])).optional();
const count = { schema: z.strictObject({ count: z.int().min(0) }) };

/** What others did that concerns oneself, one by one. */
export const notificationOperations: readonly Operation[] = [
  {
    method: "get",
    path: "/api/v1/notifications",
    summary: "All that are kept, the newest first; reading does not mark as read",
    access: reads,
    query: paging(80).extend({
      types,
      exclude_types: types,
      account_id: z.string().optional().describe("Those by this person."),
    }),
    answer: many("Notification"),
    paged: true,
  },
  {
    method: "get",
    path: "/api/v1/notifications/{id}",
    summary: "One",
    access: reads,
    answer: one("Notification"),
  },
  ...["/api/v1/notifications/unread_count", "/api/v2/notifications/unread_count"].map(
    (path): Operation => ({
      method: "get",
      path,
      summary: "How many groups are new, as the badge of the site says",
      access: reads,
      answer: count,
    }),
  ),
  {
    method: "post",
    path: "/api/v1/notifications/clear",
    summary: "Take all out",
    access: writes,
    answer: emptyObject,
  },
  {
    method: "post",
    path: "/api/v1/notifications/{id}/dismiss",
    summary: "Take one out",
    access: writes,
    answer: emptyObject,
  },
  {
    method: "get",
    path: "/api/v1/markers",
    summary: "How far one has read",
    access: needs("read:statuses"),
    query: z.object({ timeline: z.array(z.enum(["home", "notifications"])).optional() }),
    answer: one("Markers"),
  },
  {
    method: "post",
    path: "/api/v1/markers",
    summary: "Mark notifications as read up to one",
    access: needs("write:statuses"),
    body: z.object({
      notifications: z.object({ last_read_id: z.string() }).optional(),
      home: z.object({ last_read_id: z.string() }).optional().describe("Not kept."),
    }),
    answer: one("Markers"),
  },
];
