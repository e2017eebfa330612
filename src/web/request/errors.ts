import type { ErrorRequestHandler, Request, RequestHandler, Response } from "express";
import type { Ctx } from "../../context.ts";
import {
  Blocked,
  DomainError,
  Forbidden,
  GrantRefused,
  Invalid,
  InvalidToken,
  NotFound,
  StorageAway,
  Suspended,
  TooMany,
  Unauthenticated,
  type Problems,
} from "../../domain/errors.ts";
import { isOutage } from "../../domain/outage.ts";
import { sayRarely } from "../../domain/say-rarely.ts";
import { tallies } from "../../domain/tallies.ts";
import { apiError } from "../layout/api-error.ts";
import { isForMachines } from "./reader.ts";
import { returnPath, safePath, sentenceFor, waitOf } from "../layout/form.ts";
import { type OutagePages, retryAfter, sendPlainText } from "../server/error-503.ts";
import { htmlOf } from "../server/render.ts";
import { answerBriefly, limitErrorPages } from "./limits.ts";
import { readUnreadTexts } from "./refusals.ts";

export const answerNotFound: RequestHandler = (req, _res, next) => {
  next(new NotFound(req.path));
};

/** Answers all errors of handlers; outages and late answers go to server/error-503.ts. */
export function answerErrors(ctx: Ctx, outages: OutagePages): ErrorRequestHandler {
  const deservesPage = limitErrorPages();
  return async (error: unknown, req, res, _next) => {
    if (res.headersSent) {
      if (!isOutage(error) && !(error instanceof DomainError)) reportError(ctx, error, req);
      // Do not cut a complete answer: what failed after it was the renewal of the session, for example.
      if (!res.writableEnded) req.socket.destroy();
      return;
    }
    // Many clients that leave at once would otherwise cost a page each.
    if (req.socket.destroyed) {
      reportError(ctx, error, req);
      return;
    }
    const send = async (what: unknown) => {
      const status = reportError(ctx, what, req);
      if (status === 503) {
        await readUnreadTexts(req, res);
        if (!res.headersSent) outages.answer(req, res);
      } else await sendError(res, status, what);
    };
    if (error instanceof TooMany) tallies.refusals.inc({ limit: error.message });
    try {
      if (error instanceof TooMany && !isForMachines(req.path) && !deservesPage(req, res))
        answerBriefly(error, res);
      else if (!(await redirectOrShowAgain(ctx, error, res))) await send(error);
    } catch (again) {
      await send(again);
    }
  };
}

/** Last resort: plain text. Express's own page would show internals, its log whole request bodies. */
export const answerPlainly: ErrorRequestHandler = (error: unknown, _req, res, _next) => {
  sendPlainText(res, statusOf(error));
};

/** Leads to the log-in page, or to the refused form. False for all other errors. */
async function redirectOrShowAgain(ctx: Ctx, error: unknown, res: Response): Promise<boolean> {
  const { req } = res;
  if (error instanceof Unauthenticated && !isForMachines(req.path)) {
    res.redirect(303, `/login?next=${encodeURIComponent(pageToReturnTo(req))}`);
    return true;
  }
  const { showAgain } = res.locals;
  const problems = problemsOf(error);
  if (error instanceof TooMany) res.setHeader("Retry-After", error.retryAfter);
  if (error instanceof StorageAway) res.setHeader("Retry-After", retryAfter);
  if (problems === undefined || showAgain === undefined) return false;
  res.status(reportError(ctx, error, req));
  await res.locals.addFrame?.();
  await showAgain(problems);
  return true;
}

function pageToReturnTo(req: Request): string {
  return req.method === "GET" ? safePath(req.originalUrl) : returnPath(req, "/");
}

function problemsOf(error: unknown): Problems | undefined {
  if (error instanceof TooMany) return { form: waitOf(error) };
  if (error instanceof StorageAway) return { form: "picture.away" };
  return error instanceof Invalid ? error.problems : undefined;
}

/** Returns the status for an error. Logs errors that are not the client's fault. */
export function reportError({ log }: Ctx, error: unknown, req: Request): number {
  const status = statusOf(error);
  const request = req.id;
  if (status === 503) sayRarely(log, "warn", { request, reason: String(error) }, "unavailable");
  else if (status >= 500) log.error({ err: error, request }, "request failed");
  else if (!(error instanceof DomainError))
    sayRarely(log, "warn", { request, status, type: typeOf(error) }, "request refused", {
      kind: `refused ${status} ${typeOf(error)}`,
    });
  return status;
}

function statusOf(error: unknown): number {
  if (error instanceof Unauthenticated || error instanceof InvalidToken) return 401;
  if (error instanceof GrantRefused) return grantStatus(error);
  if (error instanceof NotFound) return 404;
  if (error instanceof Forbidden) return 403;
  if (error instanceof Invalid) return 422;
  if (error instanceof TooMany) return 429;
  if (isOutage(error)) return 503;
  return clientStatus(error) ?? 500;
}

function grantStatus({ problem }: GrantRefused): number {
  if (problem === "invalid_client") return 401;
  return problem === "unauthorized_client" ? 403 : 400;
}

/** Errors that Express and its body parser blame on the client: 400, 413, 415 … */
function clientStatus(error: unknown): number | undefined {
  const { status } = (error ?? {}) as { status?: unknown };
  const isClients = typeof status === "number" && status >= 400 && status < 500;
  return isClients ? (status === 413 ? 413 : 400) : undefined;
}

function typeOf(error: unknown): string {
  if (typeof error === "object" && error !== null && "type" in error) return String(error.type);
  return error instanceof Error ? error.name : typeof error;
}

async function sendError(res: Response, status: number, error: unknown): Promise<void> {
  const { req } = res;
  res.setHeader("Cache-Control", "no-store");
  if (!isForMachines(req.path)) {
    const html = await renderError(res, status, error);
    res.status(status).send(html);
    return;
  }
  // Bearer by default: a Basic challenge would make browsers ask their users for a password.
  const scheme = /^(Basic|Bearer) /i.exec(req.headers.authorization ?? "")?.[1] ?? "Bearer";
  if (status === 401) res.setHeader("WWW-Authenticate", `${scheme} realm="Suzume"`);
  res.status(status).json(apiError(res.locals.words, error, status));
}

/** Rejects if the page itself cannot be rendered: otherwise the error would go to Express. */
async function renderError(res: Response, status: number, error: unknown): Promise<string> {
  const { words } = res.locals;
  const { id } = res.req;
  // Without it, if it cannot be read.
  await res.locals.addFrame?.().catch(() => {});
  const name = nameOf(error, status);
  const heading = words.t(`error.${name}.heading`);
  const problem = problemsOf(error)?.["form"];
  const locals = {
    title: heading,
    canonical: undefined,
    isNotFound: status === 404,
    status,
    heading,
    message:
      problem !== undefined
        ? sentenceFor(words, problem)
        : words.t(`error.${name as Exclude<typeof name, 429>}.message`),
    requestId: typeof id === "string" ? id : "",
  };
  return await htmlOf(res, "errors/error", locals);
}

/** Statuses with messages of their own. */
const describedStatuses = [400, 403, 404, 413, 422, 429, 500] as const;

function nameOf(error: unknown, status: number) {
  if (error instanceof Blocked) return "blocked";
  if (error instanceof Suspended) return "suspended";
  return describedStatuses.find((known) => known === status) ?? 500;
}
