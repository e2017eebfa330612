import type { Response } from "express";
import type { WebSocket } from "ws";

/** What an app is told: a status, an edited one, a notification, a conversation, or the id of a deleted status. */
export interface LiveEvent {
  name: "update" | "status.update" | "notification" | "conversation" | "delete";
  /** JSON, or an id. */
  data: string;
  /** Name of the stream, and its hashtag or list. */
  stream: readonly string[];
}

/** An open connection to a page or an app. */
export interface Connection {
  /** To be called every few seconds: keeps the connection open through proxies, and drops clients that are gone. */
  beat(): void;
  /** "over": the client must not come back. "moving": the process ends, so it may, to another one. */
  end(why: "over" | "moving"): void;
}

/** A connection to an app: server-sent events or a WebSocket. Bounds what is unsent, see decision 17. */
export interface Wire extends Connection {
  /** Whether all that was written is on its way. */
  readonly isTaken: boolean;
  /** Drops a client with too much unsent. */
  send(event: LiveEvent): void;
}

/** Max time without a byte or a ping; Heroku cuts connections that are silent for 55 s. */
const heartbeatMilliseconds = 20_000;
/** Milliseconds after which a client is dropped that takes nothing, or that does not answer a ping. */
const patienceMilliseconds = 60_000;
/** Max unsent bytes of an app, on either wire. */
const maxUnsent = 131_072;
/** Max messages and pings of a client between two beats; a client with many streams subscribes to them at once. */
const maxReceived = 100;

/** Codes of RFC 6455, section 7.4.1. */
const codes = { over: 1008, moving: 1001, flood: 1008, binary: 1003 } as const;

interface SseOptions {
  /** Max unsent bytes before the client is dropped. */
  maxUnsent: number;
  /** A comment that keeps the connection open. */
  heartbeat: string;
  /** The last event for a client that must not come back. */
  farewell: string;
}

/** A response without an end, as server-sent events. */
export class SseConnection implements Connection {
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

  get isTaken(): boolean {
    return this.#res.writableLength === 0;
  }

  beat(): void {
    const now = performance.now();
    if (this.isTaken) this.#takenAt = now;
    if (now - this.#takenAt > patienceMilliseconds) this.#res.destroy();
    else if (now - this.#wroteAt > heartbeatMilliseconds) this.write(this.#options.heartbeat);
  }

  end(why: "over" | "moving"): void {
    if (!this.#res.writableEnded) this.#res.end(why === "over" ? this.#options.farewell : "");
  }
}

/**
 * An app that listens by server-sent events, to one stream. Libraries drop a block with more than the lines `event` and
 * `data` (megalodon), or give up at a block without them (Mastodon.py). So there is no `id` and no `retry`, and no empty
 * line after the heartbeat. Apps cannot be told to stay away; they are refused when they come back.
 */
export class SseWire extends SseConnection implements Wire {
  constructor(res: Response) {
    super(res, { maxUnsent, heartbeat: ":thump\n", farewell: "" });
  }

  send({ name, data }: LiveEvent): void {
    this.write(`event: ${name}\ndata: ${data}\n\n`);
  }
}

/** An app that listens by a WebSocket, to several streams. */
export class SocketWire implements Wire {
  readonly #socket: WebSocket;
  #received = 0;
  #heardAt = performance.now();
  #pingedAt = performance.now();

  /** `hear` gets each text; other messages end the connection. It never throws. */
  constructor(socket: WebSocket, hear: (text: string) => void) {
    this.#socket = socket;
    socket.on("message", (data: Buffer, isBinary) => {
      if (!this.#count()) return;
      if (isBinary) this.end("binary");
      else hear(data.toString());
    });
    socket.on("ping", (data) => {
      if (this.#count() && this.#isOpen) this.#socket.pong(data);
      this.#dropIfFull();
    });
    socket.on("pong", () => this.#count());
    // The frame was malformed or too large: `ws` closes the connection with the fitting code.
    socket.on("error", () => {});
  }

  get isTaken(): boolean {
    return this.#socket.bufferedAmount === 0;
  }

  send({ name, data, stream }: LiveEvent): void {
    this.write({ stream, event: name, payload: data });
  }

  /** One message, as JSON. Drops a client with too much unsent. */
  write(message: object): void {
    if (!this.#isOpen) return;
    this.#socket.send(JSON.stringify(message), () => {});
    this.#dropIfFull();
  }

  beat(): void {
    const now = performance.now();
    this.#received = 0;
    if (now - this.#heardAt > patienceMilliseconds) this.#socket.terminate();
    else if (now - this.#pingedAt > heartbeatMilliseconds && this.#isOpen) {
      this.#pingedAt = now;
      this.#socket.ping();
    }
  }

  get #isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  /** False for what comes after the end, or is too much; the connection then ends. */
  #count(): boolean {
    this.#heardAt = performance.now();
    this.#received += 1;
    if (this.#received > maxReceived) this.end("flood");
    return this.#isOpen;
  }

  #dropIfFull(): void {
    if (this.#socket.bufferedAmount > maxUnsent) this.#socket.terminate();
  }

  end(why: keyof typeof codes): void {
    this.#socket.close(codes[why], why);
  }
}
