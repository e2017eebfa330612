import type { RequestListener, Server } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

/** Requests that one connection may send ahead of their answers; no browser or proxy sends more than one. */
const ahead = 16;
/** Milliseconds between two requests that were sent ahead, of all connections together. */
const paceMilliseconds = 50;
/** Milliseconds in which a client takes nothing of what waits for it; Node looks at that by itself. */
const stalledMilliseconds = 60_000;
/** Bytes that wait in all connections together. */
const budget = 128_000_000;
/** How often these are counted. */
const everyMilliseconds = 1000;

/**
 * Answers the requests of one connection one after the other: the next is looked at once the answer
 * before it has been taken, so that of a client that reads nothing no more than one answer waits.
 * The system's buffers take a few dozen more for such a client. That these cost others nothing, what
 * was sent ahead is begun at a slow pace; whoever waits for answers does not notice.
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

interface SentAhead {
  socket: Socket;
  begin: () => void;
}

/** Each connection gives it one at a time. Of those that are gone by then, nothing is begun. */
function paced(): (request: SentAhead) => void {
  const waiting: SentAhead[] = [];
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
  return (request) => {
    waiting.push(request);
    if (!isRunning) void run();
  };
}

/** Cuts clients that take nothing, after a while; sooner where all that waits is too much to be kept. */
export function boundReaders(server: Server, most = budget): void {
  server.setTimeout(stalledMilliseconds);
  /** With the bytes that waited at the last count. */
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
