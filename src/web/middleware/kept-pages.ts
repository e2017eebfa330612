import type { Request, RequestHandler, Response } from "express";
import type { Ctx } from "../../context.ts";
import { Recording } from "../../domain/recorded.ts";
import { isPlain, type KeptPages, keepPage } from "../kept-pages.ts";
import type { Languages } from "../languages/languages.ts";
import { isForMachines } from "../present/api-error.ts";
import { encodingFor } from "./compress.ts";
import { languageFor } from "./language.ts";
import { hasSession, viewerOf } from "./session.ts";

/**
 * Sends a finished page again as it is, before anything else is looked at, as long as nothing that it was made of
 * has changed: not the session, the viewer, a tweet or a count in it, nor a time that it shows. What it was made
 * of is recorded while it is made.
 */
export function sendKeptPages(ctx: Ctx, languages: Languages, pages: KeptPages): RequestHandler {
  const { memory, config } = ctx;
  if (config.memoryBytes === 0 || config.reloadViews) return (_req, _res, next) => next();
  return async (req, res, next) => {
    if (!isPlain(req)) return next();
    const began = performance.now();
    const name = nameOf(req, ctx, languages);
    const waiting = memory.waiting();
    if (waiting !== undefined) await waiting;
    if (await pages.send(name, res)) return;
    await pages.wait(name);
    if (await pages.send(name, res)) return;
    const recording = new Recording(ctx.now());
    makings.set(res, { recording, began });
    pages.watch(name, res, recording);
    next();
  };
}

const makings = new WeakMap<Response, { recording: Recording; began: number }>();

/** Of what is being made for a request, if it may be kept; `began`: when it came, by performance.now(). */
export function makingOf(res: Response): { recording: Recording; began: number } | undefined {
  return makings.get(res);
}

/** All that a page depends on beside Redis and time; one for all who are signed out. */
function nameOf(req: Request, { config }: Ctx, languages: Languages): string {
  const { host = "", cookie = "", authorization = "" } = req.headers;
  const place = config.baseUrl === undefined ? host : "";
  const who = hasSession(req) ? cookie : "";
  const form = `${languageFor(req, languages)} ${encodingFor(req)}`;
  return `${req.protocol} ${place} ${form} ${req.originalUrl}\n${who}\n${authorization}`;
}

/**
 * For those who make a page: it may be kept, unless a cookie of a session that is over asked for it, or one that is
 * spelled so that `nameOf` does not see it.
 */
export function mayBeKept(res: Response): void {
  const isPrivate = viewerOf(res) !== undefined;
  const isProved = isForMachines(res.req.path)
    ? res.req.headers.authorization !== undefined
    : hasSession(res.req);
  if (isProved === isPrivate) keepPage(res, isPrivate ? "private" : "public");
}
