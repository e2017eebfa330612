import type { Request, RequestHandler, Response } from "express";
import type { Ctx } from "../../context.ts";
import { Recording } from "../../domain/scope.ts";
import type { KeptPages } from "./page-cache.ts";
import type { Languages } from "../languages/translator.ts";
import { putAwayIn } from "../request/site.ts";
import { encodingFor } from "./compress.ts";
import { isForMachines, languageFor, viewerOf } from "../request/reader.ts";
import { hasSession, sessionIn } from "../request/session.ts";

/**
 * Sends a finished page again, before any other work, as long as none of its dependencies has changed: session, viewer,
 * tweets, counts and times shown. The dependencies are recorded while the page is rendered.
 */
export function sendKeptPages(ctx: Ctx, languages: Languages, pages: KeptPages): RequestHandler {
  const { config } = ctx;
  if (config.memoryBytes === 0 || config.reloadViews) return (_req, _res, next) => next();
  return async (req, res, next) => {
    if (!isPlain(req) || res.locals.isIpBlocked === true) return next();
    const { began = performance.now() } = res.locals;
    const name = nameOf(req, ctx, languages);
    if (await pages.send(name, res)) return;
    const other = pages.wait(name);
    if (other !== undefined) {
      await other;
      if (await pages.send(name, res)) return;
    }
    const left = config.answerMilliseconds - (performance.now() - began);
    if (await pages.refresh(name, res, left)) return;
    const recording = new Recording(ctx.now());
    res.locals.recording = recording;
    pages.watch(name, res, recording);
    next();
  };
}

/** Headers that decide the answer, too, and that nameOf does not read. */
const deciding = ["if-none-match", "if-modified-since", "range", "sec-purpose"];

function isPlain({ method, headers }: Request): boolean {
  return method === "GET" && deciding.every((name) => headers[name] === undefined);
}

/** Key of a page: all it depends on beside Redis and time; signed-out clients differ by an announcement put away. */
function nameOf(req: Request, { config }: Ctx, languages: Languages): string {
  const { host = "", cookie = "", authorization = "" } = req.headers;
  const site = config.baseUrl === undefined ? host : "";
  const who = hasSession(req) ? cookie : putAwayIn(req);
  const form = `${languageFor(req, languages)} ${encodingFor(req)}`;
  return `${req.protocol} ${site} ${form} ${req.originalUrl}\n${who}\n${authorization}`;
}

/**
 * Called by handlers that render a page: the page may be kept. Exceptions: the request has a cookie of
 * an ended session, or one in a form that `nameOf` does not recognize.
 */
export function cacheAnswer(res: Response): void {
  const isPrivate = viewerOf(res) !== undefined;
  const isProved = isForMachines(res.req.path)
    ? res.req.headers.authorization !== undefined
    : hasSession(res.req);
  if (isProved === isPrivate) res.locals.kept = true;
}

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
      if (settling.size > 0) for (const client of clientsOf(req)) await settling.get(client);
      return next();
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
