import type { Router } from "express";
import type { Ctx } from "../../../context.ts";
import { NotFound } from "../../../domain/errors.ts";
import { parseConversation } from "../../../domain/messages/people.ts";
import { isModerator } from "../../../domain/users/roles.ts";
import { parseListId, parseTweetId } from "../../../domain/ids.ts";
import { readCursor, textsOf } from "../../layout/form.ts";
import type { Hub } from "../../live/hub.ts";
import { PageStream } from "../../live/page-stream.ts";
import { viewerOf } from "../../request/reader.ts";

/** Server-sent events about news for an open page. */
export function livePages(router: Router, ctx: Ctx, hub: Hub): void {
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
    // Up to this stamp the page shows items. The browser's last event id takes precedence.
    const after = readCursor(req.get("last-event-id") ?? req.query["after"]);
    const shown = textsOf(req.query);
    const thread = parseTweetId(shown["thread"] ?? "");
    const list = parseListId(shown["list"] ?? "");
    const conversation = parseConversation(shown["conversation"] ?? "", user);
    const page = { thread, list, conversation, decides: isModerator(ctx, viewer) };
    const open = { user, generation, session: req.sessionID, after, ...page };
    hub.add(new PageStream(ctx, res, open), res);
  });
}
