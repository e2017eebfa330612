import { once } from "node:events";
import { type AddressInfo, createServer, type Server, Socket } from "node:net";

/** Whether a connection from this address is silent. */
export type Silence = (source: string) => boolean;

/**
 * A TCP proxy in front of one port of 127.0.0.1, which can do what a bad network does. A silent
 * connection stays open and carries nothing, not even its own end, as where a cable was pulled.
 */
export class Proxy {
  /** Milliseconds by which all that the server says comes late. */
  delay = 0;
  readonly #server: Server;
  readonly #links = new Set<Link>();
  #isSilent: Silence = () => false;

  private constructor(server: Server) {
    this.#server = server;
  }

  /** It listens on `port`, or on any free one. */
  static async before(target: number, port = 0): Promise<Proxy> {
    const server = createServer((client) => {
      const link = new Link(client, target, () => proxy.delay);
      proxy.#links.add(link);
      link.onEnd = () => proxy.#links.delete(link);
      link.setSilent(proxy.#isSilent(link.source));
    });
    const proxy = new Proxy(server);
    await once(server.listen(port, "127.0.0.1"), "listening");
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Connections that are silent from now on, also those that come; after `heal` they go on. */
  silence(isSilent: Silence = () => true): void {
    this.#isSilent = isSilent;
    for (const link of this.#links) link.setSilent(isSilent(link.source));
  }

  heal(): void {
    this.silence(() => false);
  }

  /** All connections there are fall silent for good; new ones are well. */
  loseConnections(): void {
    for (const link of this.#links) link.lose();
  }

  /** What silent connections hold back never arrives, and they never go on. */
  loseSilent(): void {
    for (const link of this.#links) if (this.#isSilent(link.source)) link.lose();
  }

  /** Ends all connections. */
  cut(): void {
    for (const link of this.#links) link.destroy();
  }

  close(): void {
    this.#server.close();
    this.cut();
  }
}

/** One connection and its continuation, of which the target hears once the network lets it through. */
class Link {
  readonly source: string;
  onEnd: () => void = () => {};
  readonly #client: Socket;
  readonly #server = new Socket();
  readonly #target: number;
  readonly #pipes: Pipe[];
  #isHeard = false;
  #isLost = false;

  constructor(client: Socket, target: number, delay: () => number) {
    this.source = client.remoteAddress ?? "";
    this.#client = client;
    this.#target = target;
    this.#pipes = [new Pipe(client, this.#server, () => 0), new Pipe(this.#server, client, delay)];
    for (const socket of [client, this.#server]) {
      socket.setNoDelay(true);
      socket.on("error", () => {});
      socket.on("close", () => {
        if (client.destroyed && (this.#server.destroyed || !this.#isHeard)) this.onEnd();
      });
    }
  }

  setSilent(isSilent: boolean): void {
    if (this.#isLost) return;
    if (!isSilent && !this.#isHeard) {
      this.#isHeard = true;
      this.#server.connect(this.#target, "127.0.0.1");
    }
    for (const pipe of this.#pipes) pipe.setSilent(isSilent);
  }

  lose(): void {
    this.setSilent(true);
    this.#isLost = true;
  }

  destroy(): void {
    for (const socket of [this.#client, this.#server]) socket.destroy();
  }
}

/** One direction of a connection. */
class Pipe {
  readonly #delay: () => number;
  #isSilent = false;
  /** What came meanwhile, in order; each piece is due at a time. */
  readonly #waiting: { due: number; pass: () => void }[] = [];

  constructor(from: Socket, to: Socket, delay: () => number) {
    this.#delay = delay;
    from.on("data", (bytes: Buffer) =>
      this.#soon(() => {
        if (to.write(bytes)) return;
        from.pause();
        to.once("drain", () => from.resume());
      }),
    );
    from.on("close", () => this.#soon(() => to.destroy()));
  }

  setSilent(isSilent: boolean): void {
    this.#isSilent = isSilent;
    this.#passOn();
  }

  #soon(pass: () => void): void {
    const due = Math.max(performance.now() + this.#delay(), this.#waiting.at(-1)?.due ?? 0);
    this.#waiting.push({ due, pass });
    this.#passOn();
  }

  #passOn(): void {
    while (!this.#isSilent && this.#waiting.length > 0) {
      const first = this.#waiting[0];
      const early = (first?.due ?? 0) - performance.now();
      if (early > 0) {
        setTimeout(() => this.#passOn(), early);
        return;
      }
      this.#waiting.shift();
      first?.pass();
    }
  }
}
