import type { WebSocket } from "ws";
import { maxUnsent } from "./sse.ts";
import type { LiveEvent, Wire } from "./stream.ts";

/** Milliseconds between two pings; see SseConnection for the reasons of both times. */
const pingMilliseconds = 20_000;
/** Milliseconds after which a client is dropped that sends nothing, not even the answer to a ping. */
const patienceMilliseconds = 60_000;
/** Max messages and pings of a client between two beats; a client with many streams subscribes to them at once. */
const maxReceived = 100;

/** Codes of RFC 6455, section 7.4.1. */
const codes = { over: 1008, moving: 1001, flood: 1008, binary: 1003 } as const;

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
      if (isBinary) this.#close("binary");
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
    else if (now - this.#pingedAt > pingMilliseconds && this.#isOpen) {
      this.#pingedAt = now;
      this.#socket.ping();
    }
  }

  end(why: "over" | "moving"): void {
    this.#close(why);
  }

  get #isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  /** False for what comes after the end, or is too much; the connection then ends. */
  #count(): boolean {
    this.#heardAt = performance.now();
    this.#received += 1;
    if (this.#received > maxReceived) this.#close("flood");
    return this.#isOpen;
  }

  #dropIfFull(): void {
    if (this.#socket.bufferedAmount > maxUnsent) this.#socket.terminate();
  }

  #close(why: keyof typeof codes): void {
    this.#socket.close(codes[why], why);
  }
}
