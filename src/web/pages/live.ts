import { type Request, Router } from "express";
import type { Ctx } from "../../context.ts";
import { NotFound } from "../../domain/errors.ts";
import { parseStamp, type Stamp } from "../../domain/stamp.ts";
import type { Hub } from "../live/hub.ts";
import { PageStream } from "../live/page-stream.ts";
import { viewerOf } from "../middleware/session.ts";

/** Server-sent events about news for an open page. */
export function livePages(ctx: Ctx, hub: Hub): Router {
  const router = Router();
  router.get("/live", (req, res) => {
    if (req.method !== "GET" || !/text\/event-stream/.test(req.get("accept") ?? ""))
      throw new NotFound("stream");
    const viewer = viewerOf(res);
    if (viewer === undefined) {
      // 204 is the answer after which browsers do not reconnect.
      res.status(204).end();
      return;
    }
    hub.requireRoom();
    const { id: user, generation } = viewer;
    const page = { user, generation, session: req.sessionID, after: afterOf(req) };
    const stream = new PageStream(ctx, res, page);
    hub.add(stream, res);
  });
  return router;
}

/** Stamp up to which the page shows items. The browser's last event id takes precedence over the address. */
function afterOf(req: Request): Stamp | undefined {
  const raw = req.get("last-event-id") ?? req.query["after"];
  return typeof raw === "string" ? parseStamp(raw) : undefined;
}
