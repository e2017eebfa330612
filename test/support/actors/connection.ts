import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** A connection whose received bytes and end are recorded. */
export class Connection {
  heard = "";
  error: NodeJS.ErrnoException | undefined;
  readonly ended: Promise<void>;
  readonly #socket: Socket;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding("utf8").on("data", (chunk) => (this.heard += String(chunk)));
    socket.on("error", (error) => (this.error = error));
    this.ended = new Promise((resolve) => socket.once("close", () => resolve()));
  }

  static async open(port: number): Promise<Connection> {
    const socket = connect(port, "127.0.0.1");
    const connection = new Connection(socket);
    await new Promise((resolve) => socket.once("connect", resolve));
    return connection;
  }

  /** Resolves once the kernel has the text. */
  async write(text: string): Promise<void> {
    await new Promise<void>((resolve) => this.#socket.write(text, () => resolve()));
  }

  async get(path: string): Promise<void> {
    await this.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  }

  /** Resolves once this number of answers has begun; fails by the test's time limit. */
  async untilAnswers(count: number): Promise<void> {
    while (this.statuses.length < count && !this.#socket.destroyed) await sleep(10);
  }

  get statuses(): number[] {
    return [...this.heard.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => Number(status));
  }

  close(): void {
    this.#socket.destroy();
  }
}
