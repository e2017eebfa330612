import type { Request, RequestHandler, Response } from "express";
import session from "express-session";
import type { Ctx } from "../../context.ts";
import { Unauthenticated } from "../../domain/errors.ts";
import { type UserId, userId } from "../../domain/ids.ts";
import {
  closeSessions,
  findOpenSession,
  idleSeconds,
  openSession,
} from "../../domain/users/sessions.ts";
import { findUser, type User } from "../../domain/users/store.ts";
import { RememberingStore } from "./session-store.ts";

declare module "express-session" {
  interface SessionData {
    user: string;
    /** Milliseconds; renewed now and then, and with it the session's idle time. */
    seenAt: number;
    /** What the browser calls itself, for the list of sessions. */
    device: string;
  }
}

/** Writing the session once an hour is enough to know that it is in use. */
const renewMilliseconds = 60 * 60 * 1000;

/** On https the cookie is locked to this host, which browsers forbid on http. */
export function sessions(ctx: Ctx, secret: string): RequestHandler {
  const onHttp = sessionsWith(ctx, secret, { name: "suzume", secure: false });
  const onHttps = sessionsWith(ctx, secret, { name: "__Host-suzume", secure: true });
  return (req, res, next) => {
    (req.secure ? onHttps : onHttp)(req, res, next);
  };
}

/** With a store of its own, as express-session hangs the cookie's options on the store. */
function sessionsWith(
  ctx: Ctx,
  secret: string,
  { name, secure }: { name: string; secure: boolean },
) {
  return session({
    name,
    secret,
    store: new RememberingStore(ctx),
    resave: false,
    saveUninitialized: false,
    cookie: { httpOnly: true, sameSite: "lax", path: "/", maxAge: idleSeconds * 1000, secure },
  });
}

/** Finds out who is asking: the session must still be listed under its user, who must still exist and not be suspended. */
export function loadViewer(ctx: Ctx): RequestHandler {
  return async (req, res, next) => {
    if (req.session.user !== undefined) {
      const id = userId(req.session.user);
      const [opened, user] = await Promise.all([
        findOpenSession(ctx, id, req.sessionID),
        findUser(ctx, id),
      ]);
      if (opened === undefined || user === undefined || user.suspended) await regenerate(req);
      else recognize(ctx, req, res, user);
    }
    next();
  };
}

function recognize(ctx: Ctx, req: Request, res: Response, user: User): void {
  res.locals["user"] = user;
  const seenAt = req.session.seenAt ?? 0;
  if (ctx.now() - seenAt > renewMilliseconds) req.session.seenAt = ctx.now();
}

/** The signed-in user, if any. */
export function viewerOf(res: Response): User | undefined {
  return res.locals["user"] as User | undefined;
}

/** The signed-in user; throws Unauthenticated, which leads to the log-in page. */
export function requireViewer(res: Response): User {
  const viewer = viewerOf(res);
  if (viewer === undefined) throw new Unauthenticated("signed out");
  return viewer;
}

/** Signs in under a new session id, saved before the answer goes out; the old one is worthless. */
export async function signIn(ctx: Ctx, req: Request, user: UserId): Promise<void> {
  const previous = req.session.user;
  const previousId = req.sessionID;
  await regenerate(req);
  if (previous !== undefined) await closeSessions(ctx, userId(previous), [previousId]);
  req.session.user = user;
  req.session.seenAt = ctx.now();
  req.session.device = (req.get("user-agent") ?? "").slice(0, 200);
  await openSession(ctx, user, req.sessionID);
  await new Promise<void>((resolve, reject) => {
    req.session.save((error: unknown) => settle(error, resolve, reject));
  });
}

/** Ends the session here and on the server. */
export async function signOut(ctx: Ctx, req: Request): Promise<void> {
  const { user } = req.session;
  if (user !== undefined) await closeSessions(ctx, userId(user), [req.sessionID]);
  await regenerate(req);
}

async function regenerate(req: Request): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    req.session.regenerate((error: unknown) => settle(error, resolve, reject));
  });
}

function settle(error: unknown, resolve: () => void, reject: (reason: Error) => void): void {
  if (error === undefined || error === null) resolve();
  else reject(error instanceof Error ? error : new Error("session store failed"));
}
