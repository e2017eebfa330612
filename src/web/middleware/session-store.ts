import { RedisStore } from "connect-redis";
import type { SessionData } from "express-session";
import type { Ctx } from "../../context.ts";
import { idleSeconds, readSessionData, sessionPrefix } from "../../domain/users/sessions.ts";

type Done<Data> = (error?: unknown, data?: Data) => void;

/**
 * Session store that reads through the memory. The list of the session's user decides whether a session
 * is still open (loadViewer).
 */
export class RememberingStore extends RedisStore {
  readonly #ctx: Ctx;

  constructor(ctx: Ctx) {
    super({ client: ctx.redis, prefix: sessionPrefix, ttl: idleSeconds });
    this.#ctx = ctx;
    // Sessions are renewed by writing them now and then. With a `touch`, express-session would hold
    // back the last byte of every page until it has been called.
    // back the last byte of every page until it has been called.
    Object.defineProperty(this, "touch", { value: undefined });
  }

  override async get(sid: string, done?: Done<SessionData | null>): Promise<unknown> {
    try {
      const stored = await readSessionData(this.#ctx, sid);
      // Parsed for each request, because express-session modifies the object.
      return done?.(null, stored === undefined ? null : (JSON.parse(stored) as SessionData));
    } catch (error) {
      return done?.(error);
    }
  }
}
