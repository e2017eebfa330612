import type { Response } from "express";

/** Max time without a byte; Heroku cuts connections that are silent for 55 s. */
const heartbeatMilliseconds = 20_000;
/** Milliseconds after which a client that takes nothing is dropped. */
const patienceMilliseconds = 60_000;

export interface SseOptions {
  /** Max unsent bytes before the client is dropped. */
  maxUnsent: number;
  /** A comment that keeps the connection open. */
  heartbeat: string;
}

/** A response without an end, as server-sent events. */
export class SseConnection {
  readonly #res: Response;
  readonly #options: SseOptions;
  #wroteAt = performance.now();
  #takenAt = performance.now();

  constructor(res: Response, options: SseOptions) {
    this.#res = res;
    this.#options = options;
    res.set({
      "Content-Type": "text/event-stream",
      "Cache-Control": "no-store",
      "X-Accel-Buffering": "no",
    });
    res.flushHeaders();
  }

  /** Comments, or events with the empty line at their end. Drops a client with too much unsent. */
  write(text: string): void {
    if (this.#res.writableEnded || this.#res.destroyed) return;
    this.#wroteAt = performance.now();
    this.#res.write(text);
    if (this.#res.writableLength > this.#options.maxUnsent) this.#res.destroy();
  }

  /** Whether all that was written is on its way. */
  get isTaken(): boolean {
    return this.#res.writableLength === 0;
  }

  /** To be called every few seconds: keeps the connection open through proxies, and drops clients that are gone. */
  beat(): void {
    const now = performance.now();
    if (this.isTaken) this.#takenAt = now;
    if (now - this.#takenAt > patienceMilliseconds) this.#res.destroy();
    else if (now - this.#wroteAt > heartbeatMilliseconds) this.write(this.#options.heartbeat);
  }

  end(last = ""): void {
    if (!this.#res.writableEnded) this.#res.end(last);
  }
}
