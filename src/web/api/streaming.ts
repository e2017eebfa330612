import { z } from "zod";
import { covers, type Scope } from "../../domain/apps/scopes.ts";
import { Unauthenticated } from "../../domain/errors.ts";
import type { User } from "../../domain/users/store.ts";
import { SseWire } from "../live/sse.ts";
import { wantsSocket } from "../server/upgrades.ts";
import { AppStream } from "./app-stream.ts";
import { grantOf, tokenOf } from "./bearer.ts";
import {
  type Channel,
  channelFields,
  type ChannelQuery,
  findChannel,
  scopeFor,
  streamName,
  streamPaths,
} from "./channels.ts";
import { type ApiRequest, type Endpoint, endpoint, needs } from "./endpoint.ts";
import { anything, needed } from "./input.ts";
import { openSocket } from "./socket.ts";

const forAll = z.object({ access_token: anything("Where no header can be sent.") });
const forPublic = forAll.extend({ only_media: channelFields.shape.only_media });
const forTags = forAll.extend({ tag: needed });
const forLists = forAll.extend({ list: needed });
const byName = channelFields.extend(forAll.shape);

const events = z
  .string()
  .describe(
    "Server-sent events: update (a Status), notification (a Notification), " +
      "status.update (a Status that was edited), delete (an id). " +
      "A handshake for a WebSocket gets one instead.",
  );

/** What is new while an app listens, as server-sent events or by a WebSocket. */
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
  streamOf("/direct", "Stays silent: there are no direct messages", forAll),
  streamOf("/public/remote", "Stays silent: there are no other servers", forPublic),
];

/** Without a path, the query names the stream; on a WebSocket messages may name it later. */
function streamOf(path: string, summary: string, query: z.ZodObject): Endpoint {
  const rest = path.slice(1);
  return endpoint(`GET /api/v1/streaming${path}`, summary, {
    access: path === "" ? needs(...new Set(streamPaths.map(scopeFor))) : needs(scopeFor(rest)),
    query,
    answer: events,
    type: "text/event-stream",
    async handle(request) {
      const channelQuery: ChannelQuery = request.query;
      await open(
        request,
        path === "" ? channelQuery : { ...channelQuery, stream: streamName(rest) },
      );
    },
  });
}

/** Throws Unavailable if too many listen already; what findChannel throws. */
async function open(request: ApiRequest<User>, query: ChannelQuery): Promise<void> {
  const { ctx, req, res, viewer } = request;
  const grant = grantOf(res);
  const token = tokenOf(req);
  if (token === undefined || grant === undefined) throw new Unauthenticated("no token");
  const may = (scope: Scope) => covers(grant.scopes, scope);
  const isSocket = wantsSocket(req);
  const isNamed = !isSocket || query.stream !== undefined;
  const channel = isNamed ? await findChannel(ctx, { viewer, may }, query) : undefined;
  if (isSocket) openSocket(request, token, { may, first: channel });
  else if (req.method === "HEAD") res.type("text/event-stream").end();
  else if (channel !== undefined) openEvents(request, token, channel);
}

function openEvents(request: ApiRequest<User>, token: string, channel: Channel): void {
  const { ctx, hub, res, viewer, site } = request;
  hub.requireRoom();
  const stream = new AppStream(ctx, new SseWire(res), { user: viewer.id, token, site });
  stream.subscribe(channel);
  hub.add(stream, res);
}
