import { once } from "node:events";
import { createServer } from "node:net";

/** Ports of 127.0.0.1 that were free a moment ago. */
export async function sparePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => once(server, "listening")));
  const ports = servers.map((server) => {
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    return address.port;
  });
  await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
  return ports;
}

export async function sparePort(): Promise<number> {
  const [port = 0] = await sparePorts(1);
  return port;
}
