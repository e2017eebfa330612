import type { Response } from "express";
import type { UserId } from "../../domain/ids.ts";
import type { Stamp } from "../../domain/stamp.ts";

/** Who looks at a page, and what that page has shown already. */
export interface Looker {
  user: UserId;
  session: string;
  /** Of the newest item on the first page of home; undefined for other pages. */
  after: Stamp | undefined;
}

/** Heroku cuts what is silent for 55 s. */
const heartbeatMilliseconds = 20_000;
/** What browsers wait before they come back; spread, as those of a process all leave at once. */
const retryMilliseconds = 3000;
/** Bytes that somebody does not take; then they are taken for gone. */
const mostUnsent = 16_384;

/** One open page of somebody, as the answer that has no end. */
export class LiveStream {
  readonly looker: Looker;
  /** Milliseconds; when its session was last known to be open. */
  checkedAt: number;
  readonly #res: Response;
  readonly #told = new Map<string, number>();
  #wroteAt = 0;

  constructor(res: Response, looker: Looker, now: number) {
    this.looker = looker;
    this.checkedAt = now;
    this.#res = res;
    res.set({
      "Content-Type": "text/event-stream",
      "Cache-Control": "no-store",
      "X-Accel-Buffering": "no",
    });
    const retry = Math.round(retryMilliseconds * (0.5 + Math.random()));
    this.#write(`retry: ${retry}\n\n`);
  }

  /** Tells how many are new, unless it has told that before. */
  tell(event: "home" | "notifications", count: number): void {
    if (this.#told.get(event) === count) return;
    this.#told.set(event, count);
    const { after } = this.looker;
    const id = after === undefined ? "" : `id: ${after}\n`;
    this.#write(`event: ${event}\n${id}data: ${count}\n\n`);
  }

  /** Shows proxies between us that somebody is there. */
  beat(): void {
    if (performance.now() - this.#wroteAt > heartbeatMilliseconds) this.#write(":\n\n");
  }

  /** "over": the browser is told not to come back. "moving": it comes back, to another process. */
  end(why: "over" | "moving"): void {
    if (why === "over") this.#res.write("event: end\ndata: 0\n\n");
    this.#res.end();
  }

  #write(text: string): void {
    this.#wroteAt = performance.now();
    this.#res.write(text);
    if (this.#res.writableLength > mostUnsent) this.#res.destroy();
  }
}
