import { createServer, get } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { boundReaders, inTurn } from "../../src/web/slow-readers.ts";

const page = "x".repeat(300_000);
const sockets: Socket[] = [];
const closing: (() => void)[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const close of closing.splice(0)) close();
});

/** A site of one large page, and how many of it have been made. */
async function site(budget?: number) {
  let made = 0;
  const server = createServer(
    inTurn((_req, res) => {
      made += 1;
      setTimeout(() => res.end(page), 1);
    }),
  );
  boundReaders(server, budget);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, made: () => made };
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

describe("clients that ask and do not read (R21)", () => {
  it("are made a page or two each, however much they ask for, and others are served", async () => {
    const { port, made } = await site();
    const before = process.memoryUsage().rss;
    // What the kernel takes for a client counts as taken: some of its pages go there.
    const crowd = await Promise.all(Array.from({ length: 100 }, () => deaf(port, 15)));
    await sleep(1500);
    expect(made()).toBeLessThan(crowd.length * 15);
    expect(await statusOf(port)).toBe(200);
    expect(process.memoryUsage().rss - before).toBeLessThan(300_000_000);
  });

  it("are cut if they send far ahead", async () => {
    const { port } = await site();
    const socket = await deaf(port, 500);
    await new Promise((resolve) => socket.resume().once("close", resolve));
    expect(await statusOf(port)).toBe(200);
  });

  it("are cut where all that waits is too much", async () => {
    const { port } = await site(1_000_000);
    const crowd = await Promise.all(Array.from({ length: 40 }, () => deaf(port, 15)));
    await sleep(4000);
    for (const socket of crowd) socket.resume();
    await sleep(1000);
    expect(crowd.filter((socket) => socket.closed || socket.destroyed).length).toBeGreaterThan(0);
    expect(await statusOf(port)).toBe(200);
  });

  it("serves what is sent ahead to those who read, in its order", async () => {
    const { port, made } = await site();
    const socket = await deaf(port, 10);
    let heard = 0;
    socket.on("data", (chunk: Buffer) => (heard += chunk.length)).resume();
    while (heard < 10 * page.length) await sleep(20);
    expect(made()).toBe(10);
  });
});
