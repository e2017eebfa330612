import type { WebSocket } from "ws";
import { z } from "zod";
import { covers, type Scope } from "../../domain/apps/scopes.ts";
import { runWithoutDeadline } from "../../domain/deadline.ts";
import { Invalid, Unauthenticated } from "../../domain/errors.ts";
import type { User } from "../../domain/users/store.ts";
import { apiError } from "../layout/api-error.ts";
import { SocketWire, SseWire, type Wire } from "../live/wires.ts";
import { reportError } from "../request/errors.ts";
import { takeSocket, wantsSocket } from "../server/upgrades.ts";
import { AppStream } from "./app-stream.ts";
import { grantOf, tokenOf } from "./bearer.ts";
import {
  type Channel,
  channelFields,
  channelKey,
  type ChannelQuery,
  findChannel,
  scopeFor,
  streamName,
  streamPaths,
} from "./channels.ts";
import { type ApiRequest, type Endpoint, endpoint, needs } from "./endpoint.ts";
import { anything, needed, readInput } from "./input.ts";

const forAll = z.object({ access_token: anything("Where no header can be sent.") });
const forPublic = forAll.extend({ only_media: channelFields.shape.only_media });
const forTags = forAll.extend({ tag: needed });
const forLists = forAll.extend({ list: needed });
const byName = channelFields.extend(forAll.shape);

const events = z
  .string()
  .describe(
    "Server-sent events: update (a Status), notification (a Notification), " +
      "status.update (a Status that was edited), delete (an id), conversation (a Conversation). " +
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
  streamOf("/direct", "Conversations with a new message", forAll),
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
      const named: ChannelQuery = request.query;
      await open(request, path === "" ? named : { ...named, stream: streamName(rest) });
    },
  });
}

/** Throws Unavailable if too many listen already; what findChannel throws. */
async function open(request: ApiRequest<User>, query: ChannelQuery): Promise<void> {
  const { ctx, hub, req, res, viewer, site } = request;
  const grant = grantOf(res);
  const token = tokenOf(req);
  if (token === undefined || grant === undefined) throw new Unauthenticated("no token");
  const may = (scope: Scope) => covers(grant.scopes, scope);
  const openChannel = (wanted: ChannelQuery) => findChannel(ctx, { viewer, may }, wanted);
  const streamTo = (wire: Wire) => new AppStream({ ctx, user: viewer.id, site, wire }, token);
  if (wantsSocket(req)) {
    const first = query.stream === undefined ? undefined : await openChannel(query);
    openSocket(request, { streamTo, openChannel, first });
    return;
  }
  const channel = await openChannel(query);
  if (req.method === "HEAD") {
    res.type("text/event-stream").end();
    return;
  }
  hub.requireRoom();
  const stream = streamTo(new SseWire(res));
  stream.subscribe(channel);
  hub.add(stream, res);
}

/** Max streams on one socket. */
const maxChannels = 30;

/** What a client sends, as Mastodon's streaming server understands it. */
const message = channelFields.extend({ type: z.enum(["subscribe", "unsubscribe"]) });

interface SocketParts {
  streamTo: (wire: Wire) => AppStream;
  openChannel: (wanted: ChannelQuery) => Promise<Channel>;
  /** The channel of the address, if there is one. */
  first: Channel | undefined;
}

function openSocket(
  { ctx, hub, req, res }: ApiRequest<User>,
  { streamTo, openChannel, first }: SocketParts,
): void {
  hub.requireRoom();
  const connection = req.socket;
  const begin = (socket: WebSocket) => {
    let turn = Promise.resolve();
    const wire = new SocketWire(socket, (text) => {
      turn = turn.then(async () => hear(text));
    });
    const stream = streamTo(wire);
    const subscribe = (channel: Channel) => {
      if (stream.size >= maxChannels) throw new Invalid({ stream: "stream.many" });
      stream.subscribe(channel);
    };
    const hear = async (text: string) => {
      try {
        const { type, ...query } = readInput(message, parse(text));
        if (type === "unsubscribe") stream.unsubscribe(channelKey(query));
        else subscribe(await openChannel(query));
      } catch (error) {
        const status = reportError(ctx, error, req);
        wire.write({ error: apiError(res.locals.words, error, status).error, status });
      }
    };
    if (first !== undefined) subscribe(first);
    hub.add(stream, connection);
  };
  // Messages come after the request.
  takeSocket(req, res, (socket) => runWithoutDeadline(() => begin(socket)));
}

/** Throws Invalid for what is not JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Invalid({ form: "field.malformed" });
  }
}
