import { promisify } from "node:util";
import { RedisStore } from "connect-redis";
import type { Request, RequestHandler, Response } from "express";
import session, { type SessionData } from "express-session";
import type { Ctx } from "../../context.ts";
import { countInDay } from "../../domain/statistics.ts";
import { expiresAt, withoutCachingNow } from "../../domain/scope.ts";
import { userId } from "../../domain/ids.ts";
import { bestEffort, isOutage } from "../../domain/outage.ts";
import { sayRarely } from "../../domain/say-rarely.ts";
import { requireValidLogIn, type VerifiedLogIn } from "../../domain/users/log-in.ts";
import {
  closeSessions,
  findOpenSession,
  holderOf,
  idleSeconds,
  isListed,
  openSession,
  readSessionData,
  sessionPrefix,
} from "../../domain/users/sessions.ts";
import { endOwnRight, holdRight } from "../../domain/users/roles.ts";
import { findUser, type User } from "../../domain/users/store.ts";

/** How long a proof of identity counts. */
const confirmedMilliseconds = 10 * 60 * 1000;
/** Writing the session once an hour is enough to know that it is in use. */
const renewMilliseconds = 60 * 60 * 1000;

const cookieName = hostCookie("suzume");

/** Sessions of the site. http and https each have a cookie of their own. */
export function sessions(ctx: Ctx, secret: string): RequestHandler {
  const onHttp = sessionsWith(ctx, secret, false);
  const onHttps = sessionsWith(ctx, secret, true);
  return (req, res, next) => {
    (req.secure ? onHttps : onHttp)(req, res, (error?: unknown) => {
      // A new session is saved once more while the answer is being sent, which must not break it.
      if (res.headersSent && isOutage(error))
        sayRarely(ctx.log, "warn", { request: req.id }, "session not saved");
      else next(error);
    });
  };
}

/** True if the request has a session cookie. The session may have ended. */
export function hasSession(req: Request): boolean {
  return cookieIn(req, cookieName(req)) !== undefined;
}

/** Id of the session in the cookie of the request, which may be forged. */
export function sessionIn(req: Request): string | undefined {
  return /^s(?:%3A|:)([\w-]+)/.exec(cookieIn(req, cookieName(req)) ?? "")?.[1];
}

/** True if the session of the request's cookie is gone: ended elsewhere, by a suspension, or with the time. */
export function hasEndedSession(req: Request): boolean {
  return hasSession(req) && sessionIn(req) !== req.sessionID;
}

export function dropCookie(req: Request, res: Response): void {
  setCookie(res, cookieName(req), undefined);
}

/** Each needs its own store, as express-session puts the cookie's options on the store. */
function sessionsWith(ctx: Ctx, secret: string, secure: boolean) {
  return session({
    name: cookieName({ secure }),
    secret,
    store: new CachedStore(ctx),
    resave: false,
    saveUninitialized: false,
    cookie: { ...cookieOptions({ secure }), maxAge: idleSeconds * 1000 },
  });
}

type Done<Data> = (error?: unknown, data?: Data) => void;

/** Session store that reads through the memory. Whether a session is still open is found by loadViewer. */
class CachedStore extends RedisStore {
  readonly #ctx: Ctx;

  constructor(ctx: Ctx) {
    super({ client: ctx.redis, prefix: sessionPrefix, ttl: idleSeconds });
    this.#ctx = ctx;
    // Sessions are renewed by writing them now and then. With a `touch`, express-session would hold
    // back the last byte of every page until it has been called.
    Object.defineProperty(this, "touch", { value: undefined });
  }

  override async get(sid: string, answer?: Done<SessionData | null>): Promise<unknown> {
    try {
      const stored = await readSessionData(this.#ctx, sid);
      // Parsed for each request, because express-session modifies the object.
      return answer?.(null, stored === undefined ? null : (JSON.parse(stored) as SessionData));
    } catch (error) {
      return answer?.(error);
    }
  }
}

/**
 * The user of the session: it must be in the list of its user and have the user's generation; the user must exist and
 * not be suspended. Undefined without one, and once it has ended. From the memory: long answers may ask often.
 */
export async function findSignedIn(ctx: Ctx, req: Request): Promise<User | undefined> {
  const { user: signedIn, generation = "" } = req.session;
  if (signedIn === undefined) return undefined;
  const id = userId(signedIn);
  const [opened, user] = await Promise.all([
    findOpenSession(ctx, id, req.sessionID),
    findUser(ctx, id),
  ]);
  const isWelcome = user?.generation === generation && !user.suspended;
  return opened !== undefined && isWelcome ? user : undefined;
}

export function loadViewer(ctx: Ctx): RequestHandler {
  return async (req, res, next) => {
    const user = await findSignedIn(ctx, req);
    if (user !== undefined) await recognize(ctx, req, res, user);
    else if (req.session.user !== undefined) {
      // The session may have been open before the body arrived.
      res.locals.user = undefined;
      endOwnRight();
      await forget(req, res);
    }
    next();
  };
}

async function recognize(ctx: Ctx, req: Request, res: Response, user: User): Promise<void> {
  res.locals.user = user;
  const { sessionID } = req;
  const holder = holderOf(sessionID);
  holdRight(ctx, user, { holder, isOpen: () => isListed(ctx, user.id, sessionID) });
  const seenAt = req.session.seenAt ?? 0;
  expiresAt(seenAt + renewMilliseconds + 1);
  if (withoutCachingNow(ctx) - seenAt <= renewMilliseconds) return;
  req.session.seenAt = ctx.now();
  await Promise.all([renew(req), countInDay(ctx, "people", { id: user.id, at: ctx.now() })]);
}

/**
 * Saves a session that is in use, at once. At the end of a stream, hours later, express-session would write back what
 * has ended or changed meanwhile. If Redis refuses it, the next request tries again.
 */
async function renew(req: Request): Promise<void> {
  req.session.touch();
  await bestEffort(done((callback) => req.session.save(callback)));
}

/**
 * Logs in under a new session id, saved before the answer is sent; the old id becomes invalid. Throws
 * Invalid if the log-in is no longer valid, for example because the password has just changed.
 */
export async function signIn(ctx: Ctx, req: Request, logIn: VerifiedLogIn): Promise<void> {
  // A log-in has a right of its own.
  endOwnRight();
  const previous = req.session?.user;
  const previousId = req.sessionID;
  const { user, generation } = logIn;
  // The store's own regenerate: the request may have lost its session.
  await done((callback) => req.sessionStore.regenerate(req, callback));
  if (previous !== undefined) await closeSessions(ctx, userId(previous), [previousId]);
  const device = (req.get("user-agent") ?? "").slice(0, 200);
  const now = ctx.now();
  Object.assign(req.session, { user, generation, seenAt: now, device, confirmedAt: now });
  await openSession(ctx, user, req.sessionID);
  try {
    await requireValidLogIn(ctx, logIn);
  } catch (error) {
    await closeSessions(ctx, user, [req.sessionID]);
    await done((callback) => req.session.destroy(callback));
    throw error;
  }
  await done((callback) => req.session.save(callback));
}

/** Whether the user proved their identity in the last ten minutes; "again": on a page that asked for it. */
export function isConfirmed(ctx: Ctx, req: Request, when?: "again"): boolean {
  const { confirmedAt = 0, confirmedAgain = false } = req.session;
  return ctx.now() - confirmedAt < confirmedMilliseconds && (when === undefined || confirmedAgain);
}

/** Notes that the user has proved their identity again. If Redis refuses that, it holds for this request only. */
export async function confirmSession(ctx: Ctx, req: Request): Promise<void> {
  Object.assign(req.session, { confirmedAt: ctx.now(), confirmedAgain: true });
  await bestEffort(done((callback) => req.session.save(callback)));
}

/** Ends the session on the server and in the browser. Stores nothing if there is no session. */
export async function signOut(ctx: Ctx, req: Request, res: Response): Promise<void> {
  const user = req.session?.user;
  if (user === undefined) return;
  endOwnRight();
  await closeSessions(ctx, userId(user), [req.sessionID]);
  await forget(req, res);
}

/** Removes an ended session. If Redis cannot delete it now, it expires. */
async function forget(req: Request, res: Response): Promise<void> {
  dropCookie(req, res);
  // Afterwards the request has no session.
  await bestEffort(done((callback) => req.session.destroy(callback)));
}

async function done(work: (callback: (error?: unknown) => void) => void): Promise<void> {
  await promisify(work)();
}

/** Value of a cookie as it was sent; undefined if the request has none of that name. */
export function cookieIn({ headers: { cookie = "" } }: Request, name: string): string | undefined {
  const start = `${name}=`;
  return cookie
    .split(/;\s*/)
    .find((pair) => pair.startsWith(start))
    ?.slice(start.length);
}

/** Options of all cookies: scripts do not see them, and a form of another site is sent without them. */
function cookieOptions({ secure }: { secure: boolean }) {
  return { httpOnly: true, sameSite: "lax", path: "/", secure } as const;
}

const year = 365 * 24 * 60 * 60;

/** Sets a cookie of this site, or removes it if `value` is undefined. */
export function setCookie(res: Response, name: string, value: string | undefined, seconds = year) {
  const options = cookieOptions(res.req);
  if (value === undefined) res.clearCookie(name, options);
  else res.cookie(name, value, { ...options, maxAge: seconds * 1000 });
}

/** Name of a cookie that signs in: on https it is bound to this host (__Host-), which browsers refuse on http. */
export function hostCookie(name: string): (req: { secure: boolean }) => string {
  return ({ secure }) => (secure ? `__Host-${name}` : name);
}
