import type { Response } from "express";
import { z } from "zod";
import { covers, type Scope } from "../../domain/apps/scopes.ts";
import { Invalid, NotFound, Unauthenticated } from "../../domain/errors.ts";
import { homeFeed } from "../../domain/feeds/feeds.ts";
import { listFeed } from "../../domain/feeds/list-feed.ts";
import { findList } from "../../domain/graph/lists.ts";
import { parseListId } from "../../domain/ids.ts";
import { foldTag } from "../../domain/tweets/text.ts";
import type { User } from "../../domain/users/store.ts";
import { parseCursor } from "../live/resume-cursor.ts";
import { AppStream, type Channel } from "./app-stream.ts";
import { admit, grantOf, tokenOf } from "./bearer.ts";
import { type ApiRequest, type Endpoint, endpoint, needs } from "./endpoint.ts";
import { anything, flag, needed, text } from "./input.ts";

const forAll = z.object({ access_token: anything("Where no header can be sent.") });
const forPublic = forAll.extend({
  only_media: flag.describe("Nothing is told: there is none."),
});
const forTags = forAll.extend({ tag: needed });
const forLists = forAll.extend({ list: needed });
const names = "user user/notification list public public/local hashtag hashtag/local".split(" ");
const byName = forPublic.extend({
  stream: needed.meta({
    enum: names.map((name) => name.replace("/", ":")),
    description:
      "That of notifications needs the scope read:notifications, that of a list read:lists, others read:statuses.",
  }),
  tag: text,
  list: text,
});

type Input = Partial<z.output<typeof byName>>;

const events = z
  .string()
  .describe(
    "Server-sent events: update (a Status), notification (a Notification), status.update (a Status that was edited), delete (an id). " +
      "Coming back with Last-Event-ID goes on where it ended.",
  );

/** What is new while an app listens, as server-sent events. */
export const streamingEndpoints: readonly Endpoint[] = [
  endpoint("GET /api/v1/streaming/health", "Says OK", {
    access: "anybody",
    answer: z.literal("OK"),
    type: "text/plain",
    handle({ res }) {
      res.type("text/plain").send("OK");
    },
  }),
  streamOf("", "One of the following, by name", byName),
  streamOf("/user", "Home and notifications", forAll),
  streamOf("/user/notification", "Notifications", forAll),
  streamOf("/list", "Statuses of the members of a list", forLists),
  streamOf("/public", "The newest statuses of all accounts", forPublic),
  streamOf("/public/local", "The same", forPublic),
  streamOf("/hashtag", "Statuses with a hashtag", forTags),
  streamOf("/hashtag/local", "The same", forTags),
];

/** Without a path, the query names the stream. */
function streamOf(path: string, summary: string, query: z.ZodObject): Endpoint {
  return endpoint(`GET /api/v1/streaming${path}`, summary, {
    access:
      path === ""
        ? needs(...new Set(names.map((name) => scopeFor(`/${name}`))))
        : needs(scopeFor(path)),
    query,
    answer: events,
    type: "text/event-stream",
    async handle(request) {
      const input = request.query as Input;
      const name = path === "" ? `/${input.stream?.replaceAll(":", "/")}` : path;
      open(request, await channelOf(request, name, input));
    },
  });
}

function scopeFor(stream: string): Scope {
  if (stream === "/list") return "read:lists";
  return stream === "/user/notification" ? "read:notifications" : "read:statuses";
}

/** Streams of other servers, pictures and direct messages: Suzume has none, so they stay silent. */
const silent = /^\/(direct|public\/remote|public(\/local|\/remote)?\/media)$/;
const nothing: Channel = { feed: undefined, notifications: false, list: undefined };

/** Throws Invalid for what is no stream; OutOfScope; NotFound for a list of another user. */
async function channelOf(
  { ctx, res, viewer }: ApiRequest<User>,
  stream: string,
  input: Input,
): Promise<Channel> {
  admit(res, needs(scopeFor(stream)));
  switch (stream) {
    case "/user/notification":
      return { ...nothing, notifications: true };
    case "/user":
      return { ...nothing, feed: homeFeed, notifications: mayReadNotifications(res) };
    case "/list": {
      const id = parseListId(input.list ?? "");
      if (id === undefined) throw new Invalid({ list: "field.missing" });
      if ((await findList(ctx, viewer.id, id)) === undefined) throw new NotFound("list");
      return { ...nothing, feed: (at, owner, part) => listFeed(at, owner, id, part) };
    }
    case "/hashtag":
    case "/hashtag/local": {
      const tag = foldTag(input.tag ?? "");
      if (tag === undefined)
        throw new Invalid({ tag: input.tag ? "field.malformed" : "field.missing" });
      return { ...nothing, list: { tag } };
    }
    case "/public":
    case "/public/local":
      return input.only_media === true ? nothing : { ...nothing, list: { tag: undefined } };
    default:
      if (silent.test(stream)) return nothing;
      throw new Invalid({ stream: input.stream ? "field.malformed" : "field.missing" });
  }
}

function mayReadNotifications(res: Response): boolean {
  const grant = grantOf(res);
  return grant !== undefined && covers(grant.scopes, "read:notifications");
}

/** Throws Unavailable if too many listen already, NotFound. */
function open(request: ApiRequest<User>, channel: Channel): void {
  const { ctx, hub, req, res, viewer, site } = request;
  // A handshake for a WebSocket, which Suzume does not support.
  if (req.headers.upgrade !== undefined) throw new NotFound("socket");
  const token = tokenOf(req);
  if (token === undefined) throw new Unauthenticated("no token");
  if (req.method === "HEAD") {
    res.type("text/event-stream").end();
    return;
  }
  hub.requireRoom();
  const cursor = parseCursor(req.get("last-event-id"), ctx.now() * 1000);
  hub.add(new AppStream(ctx, res, { user: viewer.id, token, channel, cursor, site }), res);
}
