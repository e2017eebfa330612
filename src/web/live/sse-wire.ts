import type { Response } from "express";
import { SseConnection, type SseOptions } from "./sse-connection.ts";
import type { LiveEvent, Wire } from "./wire.ts";

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
