import type { Response } from "express";
import { SseConnection, type SseOptions } from "./sse-connection.ts";
import type { LiveEvent, Wire } from "./wire.ts";

/** Max unsent bytes of an app, on either wire. */
export const maxUnsent = 131_072;

/**
 * Only events end with an empty line: libraries (Mastodon.py) take any other for an event without a name, and give
 * up. So there is none in the heartbeat, nor before the first event.
 */
const sseOptions: SseOptions = { opening: "", maxUnsent, heartbeat: ":thump\n" };

/** An app that listens by server-sent events, to one stream. */
export class SseWire implements Wire {
  readonly #connection: SseConnection;

  constructor(res: Response) {
    this.#connection = new SseConnection(res, sseOptions);
  }

  get isTaken(): boolean {
    return this.#connection.isTaken;
  }

  /** Some apps expect `data` in the line after `event`. */
  send({ name, data, id }: LiveEvent): void {
    this.#connection.write(`event: ${name}\ndata: ${data}\nid: ${id}\n\n`);
  }

  beat(): void {
    this.#connection.beat();
  }

  /** Apps cannot be told to stay away; they are refused when they come back. */
  end(): void {
    this.#connection.end();
  }
}
