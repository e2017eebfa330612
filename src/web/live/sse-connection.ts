import type { Response } from "express";

/** Heroku cuts what is silent for 55 s. */
const heartbeatMilliseconds = 20_000;
/** What listeners wait before they come back; spread, as those of a process all leave at once. */
const retryMilliseconds = 3000;
/** Milliseconds after which a client that takes nothing is dropped. */
const patienceMilliseconds = 60_000;

export interface Manners {
  /** Fields that stand before the first event, and whatever ends them: see AppStream. */
  opening: string;
  /** Max unsent bytes before the client is dropped. */
  mostUnsent: number;
  /** A comment that keeps the connection open. */
  heartbeat: string;
}

/** An answer that has no end, as server-sent events. */
export class Wire {
  readonly #res: Response;
  readonly #manners: Manners;
  #wroteAt = 0;
  #takenAt = performance.now();

  constructor(res: Response, manners: Manners) {
    this.#res = res;
    this.#manners = manners;
    res.set({
      "Content-Type": "text/event-stream",
      "Cache-Control": "no-store",
      "X-Accel-Buffering": "no",
    });
    const retry = Math.round(retryMilliseconds * (0.5 + Math.random()));
    this.write(`retry: ${retry}\n${manners.opening}`);
  }

  /** Whole lines: events with the empty one at their end, comments. A client with too much unsent is dropped. */
  write(text: string): void {
    if (this.#res.writableEnded || this.#res.destroyed) return;
    this.#wroteAt = performance.now();
    this.#res.write(text);
    if (this.#res.writableLength > this.#manners.mostUnsent) this.#res.destroy();
  }

  /** Whether all that was written is on its way. */
  get isTaken(): boolean {
    return this.#res.writableLength === 0;
  }

  /** Every few seconds: keeps the connection open through proxies, and drops clients that are gone. */
  beat(): void {
    const now = performance.now();
    if (this.isTaken) this.#takenAt = now;
    if (now - this.#takenAt > patienceMilliseconds) this.#res.destroy();
    else if (now - this.#wroteAt > heartbeatMilliseconds) this.write(this.#manners.heartbeat);
  }

  end(last = ""): void {
    if (!this.#res.writableEnded) this.#res.end(last);
  }
}
