import { createServer, type Server } from "node:net";

/** Below the ports that the kernel gives to servers and connections which ask for none: these are not taken meanwhile. */
const first = 10_000;
const last = 32_000;
/** Processes begin hundreds of ports apart (by the golden ratio), and no port is given out twice. */
let next = first + ((process.pid * 13_597) % (last - first));

/** A port that no process listens on. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = next;
    next = port + 1 < last ? port + 1 : first;
    const server = await tryToListen(port);
    if (server === undefined) continue;
    await new Promise((ok) => server.close(ok));
    return port;
  }
}

export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) ports.push(await freePort());
  return ports;
}

async function tryToListen(port: number): Promise<Server | undefined> {
  const server = createServer();
  return await new Promise((done) => {
    server.once("error", () => done(undefined));
    server.listen(port, "127.0.0.1", () => done(server));
  });
}
