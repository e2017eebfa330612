import { createServer, get } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { afterEach, describe, expect, it, vi } from "vitest";
import { boundReaders, inTurn } from "../../src/web/server/slow-readers.ts";

const page = Buffer.alloc(300_000, "x");
/** More than the system takes for a client that does not read. */
const hugePage = Buffer.alloc(12_000_000, "x");
const sockets: Socket[] = [];
const closing: (() => void)[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const close of closing.splice(0)) close();
});

/** A site of one page, and how many of it have been made. */
async function site({ sends = page, budget }: { sends?: Buffer; budget?: number } = {}) {
  let made = 0;
  const server = createServer(
    inTurn((_req, res) => {
      made += 1;
      setTimeout(() => res.end(sends), 1);
    }),
  );
  boundReaders(server, budget);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const connections = promisify((tell: (error: Error | null, count: number) => void) =>
    server.getConnections(tell),
  );
  return { port: (server.address() as AddressInfo).port, made: () => made, connections };
}

/** Asks again and again, and reads nothing. */
async function deaf(port: number, requests: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1").pause();
  sockets.push(socket);
  socket.on("error", () => {});
  await new Promise((resolve) => socket.once("connect", resolve));
  socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(requests));
  return socket;
}

async function statusOf(port: number): Promise<number | undefined> {
  return await new Promise((resolve, reject) => {
    get({ port, host: "127.0.0.1", agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    }).on("error", reject);
  });
}

describe("clients that do not read (R21)", () => {
  it("clients that do not read get few pages, however many they ask for, and others are served", async () => {
    const { port, made } = await site();
    const crowd = await Promise.all(Array.from({ length: 100 }, () => deaf(port, 15)));
    await sleep(1500);
    // The first of each at once, the others at a slow pace.
    expect(made()).toBeLessThan(crowd.length * 2);
    expect(await statusOf(port)).toBe(200);
  });

  it("no page is made for clients that are gone", async () => {
    const { port, made, connections } = await site();
    const crowd = await Promise.all(Array.from({ length: 100 }, () => deaf(port, 15)));
    while (made() < crowd.length) await sleep(10);
    for (const socket of crowd) socket.destroy();
    while ((await connections()) > 0) await sleep(10);
    const before = made();
    await sleep(700);
    expect(made()).toBe(before);
  });

  it("clients that send far ahead are disconnected", async () => {
    const { port, made } = await site();
    const socket = await deaf(port, 500);
    await new Promise((resolve) => socket.resume().once("close", resolve));
    expect(made()).toBeLessThan(20);
    expect(await statusOf(port)).toBe(200);
  });

  it("clients are disconnected when too much waits in total", async () => {
    const { port } = await site({ sends: hugePage, budget: 20_000_000 });
    const crowd = await Promise.all(Array.from({ length: 10 }, () => deaf(port, 1)));
    await sleep(4000);
    const whole: Socket[] = [];
    for (const socket of crowd) {
      let heard = 0;
      socket.on("data", (chunk: Buffer) => {
        heard += chunk.length;
        if (heard > hugePage.length) whole.push(socket);
      });
      socket.resume();
    }
    await vi.waitFor(() => expect(whole.length).toBeGreaterThan(0), 5000);
    await sleep(500);
    expect(whole.length).toBeLessThan(crowd.length);
    expect(await statusOf(port)).toBe(200);
  });

  it("requests sent ahead by clients that read are answered in order", async () => {
    const { port, made } = await site();
    const socket = await deaf(port, 10);
    let heard = 0;
    socket.on("data", (chunk: Buffer) => (heard += chunk.length)).resume();
    while (heard < 10 * page.length) await sleep(20);
    expect(made()).toBe(10);
  });
});
