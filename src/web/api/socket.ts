import { z } from "zod";
import type { WebSocket } from "ws";
import { Invalid } from "../../domain/errors.ts";
import { runWithoutDeadline } from "../../domain/deadline.ts";
import type { User } from "../../domain/users/store.ts";
import { SocketWire } from "../live/socket-wire.ts";
import { reportError } from "../request/errors.ts";
import { apiError } from "../layout/api-error.ts";
import { takeSocket } from "../server/upgrades.ts";
import { AppStream } from "./app-stream.ts";
import { type Channel, channelFields, channelKey, findChannel } from "./channels.ts";
import type { ApiRequest } from "./endpoint.ts";
import { readInput } from "./input.ts";

/** Max streams on one socket. */
const maxChannels = 30;

/** What a client sends, as Mastodon's streaming server understands it. */
const message = channelFields.extend({ type: z.enum(["subscribe", "unsubscribe"]) });

type May = Parameters<typeof findChannel>[1]["may"];

/** Begins with the channel of the address, if there is one. Throws Unavailable if too many listen already. */
export function openSocket(
  request: ApiRequest<User>,
  token: string,
  { may, first }: { may: May; first: Channel | undefined },
): void {
  const { hub, req, res, site, viewer } = request;
  hub.requireRoom();
  const connection = req.socket;
  const ctx = request.ctx;
  const begin = (socket: WebSocket) => {
    let turn = Promise.resolve();
    const wire = new SocketWire(socket, (text) => {
      turn = turn.then(async () => hear(text));
    });
    const stream = new AppStream(ctx, wire, { user: viewer.id, token, site });
    const subscribe = (channel: Channel) => {
      if (stream.size >= maxChannels) throw new Invalid({ stream: "stream.many" });
      stream.subscribe(channel);
    };
    const hear = async (text: string) => {
      try {
        const { type, ...query } = readInput(message, parse(text));
        if (type === "unsubscribe") stream.unsubscribe(channelKey(query));
        else subscribe(await findChannel(ctx, { viewer, may }, query));
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
