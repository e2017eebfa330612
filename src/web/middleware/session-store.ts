import { RedisStore } from "connect-redis";
import type { SessionData } from "express-session";
import { LRUCache } from "lru-cache";
import type { Ctx } from "../../context.ts";
import { idleSeconds, sessionPrefix } from "../../domain/users/sessions.ts";

const rememberedMilliseconds = 60_000;
const sessionsRemembered = 10_000;

type Done<Data> = (error?: unknown, data?: Data) => void;

/**
 * The session store, with a short memory. A remembered session may have been ended by another
 * process: whether it still counts is asked of its user's list for every request (loadViewer).
 */
export class RememberingStore extends RedisStore {
  readonly #memory = new LRUCache<string, string>({
    max: sessionsRemembered,
    ttl: rememberedMilliseconds,
  });

  constructor({ redis }: Ctx) {
    super({ client: redis, prefix: sessionPrefix, ttl: idleSeconds });
    // Sessions are renewed by writing them, now and then. With a `touch`, express-session would hold
    // back the last byte of every page until it has been called.
    Object.defineProperty(this, "touch", { value: undefined });
  }

  override async get(sid: string, done?: Done<SessionData | null>): Promise<unknown> {
    const known = this.#memory.get(sid);
    // Parsed anew, as express-session changes what it is given.
    if (known !== undefined) return done?.(null, JSON.parse(known) as SessionData);
    return await super.get(sid, (error: unknown, data: SessionData | null) => {
      if (data) this.#memory.set(sid, JSON.stringify(data));
      done?.(error, data);
    });
  }

  override async set(sid: string, data: SessionData, done?: Done<never>): Promise<unknown> {
    this.#memory.delete(sid);
    return await super.set(sid, data, done);
  }

  override async destroy(sid: string, done?: Done<never>): Promise<unknown> {
    this.#memory.delete(sid);
    return await super.destroy(sid, done);
  }
}
