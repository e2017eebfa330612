import { type Response, Router } from "express";
import { z } from "zod";
import type { Ctx } from "../../context.ts";
import { Invalid } from "../../domain/errors.ts";
import { markRead } from "../../domain/notifications/marks.ts";
import { stampAt } from "../../domain/stamp.ts";
import { findUser, type User } from "../../domain/users/store.ts";
import { requireScope } from "./bearer.ts";
import { formatDate } from "./entities/account.ts";
import { lastIdOf, momentOf } from "./entities/notification.ts";
import { readInput, text, texts } from "./input.ts";

const asked = z.object({ timeline: texts });
const read = z.object({ notifications: z.object({ last_read_id: text }).optional() });

/**
 * How far somebody has read. Suzume knows that of notifications, where it is the same as on the page of
 * them and never goes back; of home timelines it does not.
 */
export function markersApi(ctx: Ctx): Router {
  const router = Router();

  router.get("/api/v1/markers", (req, res) => {
    const viewer = requireScope(res, "read:statuses");
    const isAsked = readInput(asked, req.query).timeline.includes("notifications");
    sendMarkers(res, isAsked ? viewer : undefined);
  });

  router.post("/api/v1/markers", async (req, res) => {
    const viewer = requireScope(res, "write:statuses");
    const { last_read_id: id } = readInput(read, req.body).notifications ?? {};
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
  });

  return router;
}

function sendMarkers(res: Response, viewer: User | undefined): void {
  const stamp = viewer?.notificationsRead ?? 0;
  const notifications = {
    last_read_id: lastIdOf(stamp),
    version: 1,
    updated_at: formatDate(stamp),
  };
  res.json(stamp === 0 ? {} : { notifications });
}
