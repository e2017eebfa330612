import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** A network between a client and a server, on a port of the loopback interface. */
export interface FaultyNetwork {
  port: number;
  /** Open connections forward nothing any more and stay open; new ones work. */
  loseConnections(): void;
  /** No connection forwards anything until `silent` is false again. */
  silence(silent: boolean): void;
  /** Delays the server's answers, on all connections or on the nth that was opened. */
  delay(milliseconds: number, nth?: number): void;
  /** Sends these bytes to all clients, as if the server had. */
  inject(bytes: string): void;
  /** Number of connections opened so far. */
  opened(): number;
  close(): Promise<void>;
}

/** A network to the server on the Unix socket `path`, or on a port. */
export async function faultyNetwork(
  to: { path: string } | { port: number },
): Promise<FaultyNetwork> {
  const links = new Set<Link>();
  let silent = false;
  let late = 0;
  let lateOne: number | undefined;
  let opened = 0;
  const server = createServer((client) => {
    opened += 1;
    const nth = opened;
    const link: Link = { client, server: connect(to), lost: false, held: [] };
    links.add(link);
    const carry = (from: Socket, into: Socket, wait: () => number) => {
      from.on("data", (chunk: Buffer) => {
        const send = () => void (into.destroyed || into.write(chunk));
        if (link.lost) return;
        if (silent) link.held.push(send);
        else if (wait() > 0) setTimeout(send, wait());
        else send();
      });
      from.on("error", () => {});
      from.once("close", () => {
        links.delete(link);
        into.destroy();
      });
    };
    carry(client, link.server, () => 0);
    carry(link.server, client, () => (lateOne === undefined || lateOne === nth ? late : 0));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    loseConnections() {
      for (const link of links) link.lost = true;
    },
    silence(now) {
      silent = now;
      if (!silent) for (const link of links) for (const send of link.held.splice(0)) send();
    },
    delay(milliseconds, nth) {
      late = milliseconds;
      lateOne = nth;
    },
    inject(bytes) {
      for (const { client } of links) client.write(bytes);
    },
    opened: () => opened,
    async close() {
      for (const { client, server: far } of links) for (const end of [client, far]) end.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Link {
  client: Socket;
  server: Socket;
  lost: boolean;
  /** Writes held back while the network is silent. */
  held: (() => void)[];
}
