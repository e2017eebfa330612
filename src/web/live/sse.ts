import type { Response } from "express";
import type { LiveEvent, Wire } from "./stream.ts";

/** Max time without a byte; Heroku cuts connections that are silent for 55 s. */
const heartbeatMilliseconds = 20_000;
/** Milliseconds after which a client that takes nothing is dropped. */
const patienceMilliseconds = 60_000;

interface SseOptions {
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

/** Max unsent bytes of an app, on either wire. */
export const maxUnsent = 131_072;

/**
 * Libraries drop a block with more than the lines `event` and `data` (megalodon), or give up at a block without them
 * (Mastodon.py). So there is no `id` and no `retry`, and no empty line after the heartbeat.
 */
const sseOptions: SseOptions = { maxUnsent, heartbeat: ":thump\n" };

/** An app that listens by server-sent events, to one stream. */
export class SseWire implements Wire {
  readonly #connection: SseConnection;

  constructor(res: Response) {
    this.#connection = new SseConnection(res, sseOptions);
  }

  get isTaken(): boolean {
    return this.#connection.isTaken;
  }

  send({ name, data }: LiveEvent): void {
    this.#connection.write(`event: ${name}\ndata: ${data}\n\n`);
  }

  beat(): void {
    this.#connection.beat();
  }

  /** Apps cannot be told to stay away; they are refused when they come back. */
  end(): void {
    this.#connection.end();
  }
}
