import { type IncomingMessage, type RequestListener, type Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Response } from "express";
import { type WebSocket, WebSocketServer } from "ws";

/** Max milliseconds without any byte until the request is answered. */
const stalledMilliseconds = 60_000;

/** Messages name a stream, which takes some dozen bytes. */
const socketOptions = {
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  maxPayload: 4096,
  maxFragments: 16,
  // Pings are answered where they are counted.
  autoPong: false,
  /** Milliseconds that a client has to answer the end. */
  closeTimeout: 2000,
};

const sockets = new WebSocketServer(socketOptions);

/** Handshakes for WebSockets, with the bytes that the client has sent after them. */
const handshakes = new WeakMap<IncomingMessage, Buffer>();

/**
 * Passes requests to upgrade through the site as any other, so that the same limits and refusals apply to them. A
 * route may then take the socket; all other routes answer over plain HTTP, and the connection ends.
 */
export function acceptUpgrades(server: Server, app: RequestListener): void {
  server.on("upgrade", (req: IncomingMessage, socket: Socket, head: Buffer) => {
    const res = new ServerResponse(req);
    socket.on("error", () => socket.destroy());
    try {
      res.assignSocket(socket);
    } catch {
      // An earlier request of this connection is not answered yet: no browser or proxy does this.
      socket.destroy();
      return;
    }
    res.shouldKeepAlive = false;
    res.once("finish", () => socket.destroySoon());
    socket.setTimeout(stalledMilliseconds, () => socket.destroy());
    if (req.headers.upgrade?.toLowerCase() === "websocket" && req.method === "GET")
      handshakes.set(req, head);
    else {
      socket.on("drain", () => res.emit("drain"));
      socket.resume();
    }
    // Node reads no body after such a head.
    if (req.headers["transfer-encoding"] !== undefined || Number(req.headers["content-length"]) > 0)
      res.writeHead(400).end();
    else app(req, res);
  });
}

export function wantsSocket(req: IncomingMessage): boolean {
  return handshakes.has(req);
}

/** Answers the handshake; `open` gets the socket unless the handshake is malformed. `res` is over then. */
export function takeSocket(req: IncomingMessage, res: Response, open: (socket: WebSocket) => void) {
  const { socket } = req;
  const head = handshakes.get(req);
  if (head === undefined) throw new TypeError("no handshake");
  handshakes.delete(req);
  res.detachSocket(socket);
  res.statusCode = 101;
  // The log and the deadline of the request end with it.
  res.emit("close");
  sockets.handleUpgrade(req, socket, head, open);
}
