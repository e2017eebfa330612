import type { Request, RequestHandler } from "express";
import type { Ctx } from "../../context.ts";
import { sessionIn } from "./session.ts";

/**
 * Read your own writes: after a client has the answer to a write, its next page from this process shows the result.
 * That page waits, once, until Redis has sent the invalidations that the write caused. Pages of other clients wait for
 * nothing. A client is a session or a token.
 */
export function showOwnWrites({ memory }: Ctx): RequestHandler {
  const settling = new Map<string, Promise<void>>();
  const settle = async (clients: Set<string>) => {
    const settled = memory.settled();
    for (const client of clients) settling.set(client, settled);
    await settled;
    for (const client of clients) if (settling.get(client) === settled) settling.delete(client);
  };
  return async (req, res, next) => {
    if (req.method === "GET" || req.method === "HEAD") {
      for (const client of clientsOf(req)) await settling.get(client);
      next();
      return;
    }
    const writeHead = res.writeHead.bind(res) as (...args: unknown[]) => typeof res;
    res.writeHead = (...args: unknown[]) => {
      // The session may be new since the request came.
      void settle(clientsOf(req).add(req.sessionID ?? ""));
      return writeHead(...args);
    };
    next();
  };
}

function clientsOf(req: Request): Set<string> {
  const { authorization } = req.headers;
  return new Set([authorization, sessionIn(req)].filter((client) => client !== undefined));
}
