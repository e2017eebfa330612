import { WebSocket, type ClientOptions } from "ws";

/** A message of the server, its payload parsed. */
export interface SocketEvent {
  stream?: string[];
  event?: string;
  payload?: string;
  error?: string;
  status?: number;
}

/** A client of the streaming API over a WebSocket. */
export class SocketListener {
  readonly socket: WebSocket;
  readonly heard: SocketEvent[] = [];
  /** Resolves to the code of the end. */
  readonly ended: Promise<number>;
  readonly #opened: Promise<void>;

  constructor(url: string, protocols: string[] = [], options: ClientOptions = {}) {
    this.socket = new WebSocket(url, protocols, options);
    this.socket.on("message", (data: Buffer) => {
      this.heard.push(JSON.parse(data.toString()) as SocketEvent);
    });
    this.ended = new Promise((resolve) => {
      this.socket.once("close", resolve);
    });
    this.socket.on("error", () => {});
    this.#opened = new Promise((resolve, reject) => {
      this.socket.once("open", resolve);
      this.socket.once("unexpected-response", (req, { statusCode }) => {
        reject(new Error(`answered ${statusCode}`));
        req.destroy();
      });
    });
    this.#opened.catch(() => {});
  }

  /** Rejects with the status of a refused handshake. */
  async opened(): Promise<this> {
    await this.#opened;
    return this;
  }

  say(message: unknown): void {
    this.socket.send(JSON.stringify(message));
  }

  subscribe(stream: string, more: Record<string, unknown> = {}): void {
    this.say({ type: "subscribe", stream, ...more });
  }

  /** Resolves to the first message that passes; rejects after 20 s. */
  async hears(isIt: (one: SocketEvent) => boolean): Promise<SocketEvent> {
    for (let tries = 0; tries < 1000; tries += 1) {
      const found = this.heard.find(isIt);
      if (found !== undefined) return found;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error(`no such message among ${JSON.stringify(this.heard)}`);
  }

  /** An update on the stream, with this text. */
  async hearsTweet(stream: string[], text: string): Promise<SocketEvent> {
    return await this.hears(
      (one) =>
        one.event === "update" &&
        one.payload?.includes(text) === true &&
        JSON.stringify(one.stream) === JSON.stringify(stream),
    );
  }
}
