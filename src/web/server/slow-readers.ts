import type { RequestListener, Server } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

/** Max requests that a connection may pipeline; browsers and proxies do not pipeline more than one. */
const ahead = 16;
/** Milliseconds between two pipelined requests, over all connections. */
const paceMilliseconds = 50;
/** Milliseconds without any read by the client; Node checks this itself. */
const stalledMilliseconds = 60_000;
/** Max unsent bytes over all connections. */
const budget = 128_000_000;
/** How often the unsent bytes are counted. */
const everyMilliseconds = 1000;

/**
 * Answers the requests of one connection one after the other. The next request starts when the answer
 * before it has been sent, so only one answer waits for a client that reads nothing. The buffers of the
 * system take a few dozen more answers for such a client. To limit their cost, pipelined requests start
 * at a slow pace. Clients that wait for each answer are not affected.
 */
export function inTurn(app: RequestListener): RequestListener {
  const lines = new WeakMap<Socket, (() => void)[]>();
  const atPace = paced();
  return (req, res) => {
    const { socket } = req;
    const line = lines.get(socket);
    const begin = () => {
      res.once("close", () => {
        const next = lines.get(socket)?.shift();
        if (next === undefined || socket.destroyed) lines.delete(socket);
        else atPace({ socket, begin: next });
      });
      app(req, res);
    };
    if (line === undefined) {
      lines.set(socket, []);
      begin();
    } else if (line.length < ahead) line.push(begin);
    else socket.destroy();
  };
}

/** Each connection queues one request at a time. Requests of closed connections are not started. */
function paced() {
  const waiting: { socket: Socket; begin: () => void }[] = [];
  let isRunning = false;
  const run = async () => {
    isRunning = true;
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      if (next.socket.destroyed) continue;
      next.begin();
      await pause(paceMilliseconds);
    }
    isRunning = false;
  };
  return (request: (typeof waiting)[number]) => {
    waiting.push(request);
    if (!isRunning) void run();
  };
}

/** Disconnects clients that read nothing for a while, or sooner if too many bytes wait in total. */
export function boundReaders(server: Server, most = budget): void {
  server.setTimeout(stalledMilliseconds);
  /** Sockets with the bytes that waited at the last count. */
  const sockets = new Map<Socket, number>();
  server.on("connection", (socket: Socket) => {
    sockets.set(socket, 0);
    socket.once("close", () => sockets.delete(socket));
  });
  const count = () => {
    let waiting = 0;
    for (const socket of sockets.keys()) waiting += socket.writableLength;
    for (const [socket, before] of sockets) {
      const unsent = socket.writableLength;
      if (waiting > most && unsent > 0 && unsent >= before && before > 0) {
        waiting -= unsent;
        socket.destroy();
      } else sockets.set(socket, unsent);
    }
  };
  const timer = setInterval(count, everyMilliseconds).unref();
  server.once("close", () => clearInterval(timer));
}
