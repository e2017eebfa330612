import { type Request, type Response, Router } from "express";
import { z } from "zod";
import type { Ctx } from "../../context.ts";
import { covers } from "../../domain/apps/scopes.ts";
import { Invalid, NotFound } from "../../domain/errors.ts";
import { foldTag } from "../../domain/tweets/entities.ts";
import { AppStream, type Channel } from "./app-stream.ts";
import type { Hub } from "../live/hub.ts";
import { parsePlace } from "../live/resume-cursor.ts";
import { siteOrigin } from "../send-public.ts";
import { grantOf, requireScope, tokenOf } from "./bearer.ts";
import { flag, readInput, text } from "./input.ts";

const query = z.object({ stream: text, tag: text, only_media: flag });

type Query = z.output<typeof query>;

/** The doors of streams; by these names, with colons, they are open at `/api/v1/streaming?stream=` too. */
const doors = [
  "user",
  "user/notification",
  "public",
  "public/local",
  "hashtag",
  "hashtag/local",
] as const;

/** Of other servers, of pictures, of letters: there are none, so nothing is ever told. */
const silent = /^(direct|public\/remote|public(\/local|\/remote)?\/media)$/;

/** What is new while an app listens, as server-sent events. Nobody listens without being signed in. */
export function streamingApi(ctx: Ctx, hub: Hub): Router {
  const router = Router();

  router.get("/api/v1/streaming/health", (_req, res) => {
    res.type("text/plain").send("OK");
  });

  router.get("/api/v1/streaming", (req, res) => {
    const asked = readInput(query, req.query);
    open(ctx, hub, res, channelOf(res, asked.stream?.replaceAll(":", "/"), asked));
  });

  for (const stream of doors)
    router.get(`/api/v1/streaming/${stream}`, (req, res) => {
      open(ctx, hub, res, channelOf(res, stream, readInput(query, req.query)));
    });

  return router;
}

/** Throws Invalid for what is no stream; Unauthenticated, OutOfScope. */
function channelOf(res: Response, stream: string | undefined, asked: Query): Channel {
  const nothing: Channel = { home: false, notifications: false, list: undefined };
  if (stream === "user/notification") {
    requireScope(res, "read:notifications");
    return { ...nothing, notifications: true };
  }
  requireScope(res, "read:statuses");
  if (stream === "user") return { ...nothing, home: true, notifications: mayHearOthers(res) };
  if (stream === "hashtag" || stream === "hashtag/local") {
    const tag = foldTag(asked.tag ?? "");
    if (tag === undefined)
      throw new Invalid({ tag: asked.tag ? "field.malformed" : "field.missing" });
    return { ...nothing, list: { tag } };
  }
  if (stream === "public" || stream === "public/local")
    return asked.only_media === true ? nothing : { ...nothing, list: { tag: undefined } };
  if (stream !== undefined && silent.test(stream)) return nothing;
  throw new Invalid({ stream: stream ? "field.malformed" : "field.missing" });
}

function mayHearOthers(res: Response): boolean {
  const grant = grantOf(res);
  return grant !== undefined && covers(grant.scopes, "read:notifications");
}

/** Throws Unavailable if too many listen already, NotFound. */
function open(ctx: Ctx, hub: Hub, res: Response, channel: Channel): void {
  const { req } = res;
  const token = tokenOf(req);
  const user = grantOf(res)?.user;
  // A handshake for a WebSocket: there are none, and nobody would hear what is told.
  if (req.headers.upgrade !== undefined) throw new NotFound("socket");
  if (token === undefined || user === undefined) throw new TypeError("who listens is known by now");
  if (req.method === "HEAD") {
    res.type("text/event-stream").end();
    return;
  }
  hub.requireRoom();
  const place = parsePlace(lastHeard(req), ctx.now() * 1000);
  const stream = new AppStream(ctx, res, {
    user,
    token,
    channel,
    place,
    site: siteOrigin(ctx, req),
  });
  hub.add(stream, res);
}

function lastHeard(req: Request): string | undefined {
  return req.get("last-event-id");
}
