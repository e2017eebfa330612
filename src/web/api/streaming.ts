import type { Request, Response, Router } from "express";
import { z } from "zod";
import type { Ctx } from "../../context.ts";
import { covers, type Scope } from "../../domain/apps/scopes.ts";
import { Invalid, NotFound } from "../../domain/errors.ts";
import { foldTag } from "../../domain/tweets/text.ts";
import { AppStream, type Channel } from "./app-stream.ts";
import type { Hub } from "../live/hub.ts";
import { parsePlace } from "../live/resume-cursor.ts";
import { siteOrigin } from "../send-public.ts";
import { grantOf, requireScope, tokenOf } from "./bearer.ts";
import { type Endpoint, endpoint, needs, type Operation } from "./endpoint.ts";
import { anything, flag, readInput, text } from "./input.ts";
import { routerOf } from "./router-of.ts";

const input = z.object({
  stream: text,
  tag: text,
  only_media: flag.describe("Nothing is told: there is none."),
  access_token: anything("Where no header can be sent."),
});

type Input = z.output<typeof input>;

const events = z
  .string()
  .describe(
    "Server-sent events: update (a Status), notification (a Notification), delete (an id). " +
      "Coming back with Last-Event-ID goes on where it ended.",
  );

const forAll = input.pick({ access_token: true });
const forPublic = input.pick({ access_token: true, only_media: true });
const forTags = forAll.extend({ tag: z.string() });
const names = ["user", "user/notification", "public", "public/local", "hashtag", "hashtag/local"];
const byName = input.extend({
  stream: z
    .enum(names.map((name) => name.replace("/", ":")))
    .describe("That of notifications needs the scope read:notifications instead."),
});

/** An answer that does not end: streamingApi mounts these. */
interface StreamOperation extends Operation {
  /** Undefined where the query names it. */
  stream: string | undefined;
}

const streams: readonly StreamOperation[] = [
  streamOf(undefined, "One of the following, by name", byName),
  streamOf("user", "Home and notifications", forAll),
  streamOf("user/notification", "Notifications", forAll),
  streamOf("public", "Everybody's newest", forPublic),
  streamOf("public/local", "The same", forPublic),
  streamOf("hashtag", "What has a hashtag", forTags),
  streamOf("hashtag/local", "The same", forTags),
];

function streamOf(
  stream: string | undefined,
  summary: string,
  query: z.ZodObject,
): StreamOperation {
  return {
    method: "get",
    path: stream === undefined ? "/api/v1/streaming" : `/api/v1/streaming/${stream}`,
    summary,
    access: needs(scopeFor(stream)),
    query,
    answer: { schema: events, type: "text/event-stream" },
    stream,
  };
}

function scopeFor(stream: string | undefined): Scope {
  return stream === "user/notification" ? "read:notifications" : "read:statuses";
}

const health: Endpoint = endpoint({
  method: "get",
  path: "/api/v1/streaming/health",
  summary: "Says OK",
  access: "anybody",
  answer: { schema: z.literal("OK"), type: "text/plain" },
  handle({ res }) {
    res.type("text/plain").send("OK");
  },
});

export const streamingOperations: readonly Operation[] = [health, ...streams];

/** Streams of other servers, pictures and direct messages: Suzume has none, so they stay silent. */
const silent = /^(direct|public\/remote|public(\/local|\/remote)?\/media)$/;

/** What is new while an app listens, as server-sent events. All but `health` need a user's token. */
export function streamingApi(ctx: Ctx, hub: Hub): Router {
  const router = routerOf(ctx, [health]);
  for (const { path, stream } of streams)
    router.get(path, (req, res) => {
      const asked = readInput(input, req.query);
      const name = stream ?? asked.stream?.replaceAll(":", "/");
      open(ctx, hub, res, channelOf(res, name, asked));
    });
  return router;
}

/** Throws Invalid for what is no stream; Unauthenticated, OutOfScope. */
function channelOf(res: Response, stream: string | undefined, asked: Input): Channel {
  const nothing: Channel = { home: false, notifications: false, list: undefined };
  requireScope(res, scopeFor(stream));
  if (stream === "user/notification") return { ...nothing, notifications: true };
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
  // A handshake for a WebSocket, which Suzume does not support.
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
