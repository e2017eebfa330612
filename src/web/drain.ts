import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

/** Requests that are on their way arrive, and load balancers see that /readyz refuses. */
const noticeMilliseconds = 1000;
/** Once nothing new has come for this long, all that was sent has been read. */
const quietMilliseconds = 50;
/** Max wait for such a quiet moment. */
const noiseMilliseconds = 2000;
/** Of a platform's 30 s between SIGTERM and SIGKILL, what open requests get in all. */
const drainMilliseconds = 18_000;

/**
 * Watches the requests of a server that does not listen yet. The function that it returns ends the
 * server: for about a second it still listens, and each answer says "Connection: close"; then it
 * takes nothing new, finishes what is open and closes idle connections. A request that was sent
 * before the end is answered, not reset. `onEnding` is called first: it ends what has no end.
 */
export function drainable(server: Server, onEnding: () => void): () => Promise<void> {
  /** By connection: of what a client sent ahead, responses that were never begun tell of no end. */
  const open = new Map<Socket, Set<ServerResponse>>();
  let arrivals = 0;
  let ended: Promise<void> | undefined;
  server.on("connection", (socket: Socket) => {
    arrivals += 1;
    open.set(socket, new Set());
    socket.once("close", () => open.delete(socket));
  });
  server.prependListener("request", ({ socket }, res: ServerResponse) => {
    arrivals += 1;
    const responses = open.get(socket);
    responses?.add(res);
    res.once("close", () => responses?.delete(res));
    if (ended !== undefined) sayClose(res);
  });
  const untilQuiet = async () => {
    const latest = performance.now() + noiseMilliseconds;
    for (let before = -1; before !== arrivals && performance.now() < latest;) {
      before = arrivals;
      await pause(quietMilliseconds);
    }
  };
  const end = async () => {
    const deadline = performance.now() + drainMilliseconds;
    onEnding();
    for (const responses of open.values()) for (const res of responses) sayClose(res);
    await pause(noticeMilliseconds);
    await untilQuiet();
    await closeBy(deadline, server);
  };
  return async () => await (ended ??= end());
}

function sayClose(res: ServerResponse): void {
  if (!res.headersSent) res.setHeader("Connection", "close");
}

/** Takes no new connection, and cuts those that are still busy at the deadline. */
async function closeBy(deadline: number, server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    // Answers that had begun before the end left their connection open.
    const sweep = setInterval(() => {
      if (performance.now() > deadline) server.closeAllConnections();
      else server.closeIdleConnections();
    }, quietMilliseconds);
    server.close(() => {
      clearInterval(sweep);
      resolve();
    });
  });
}
