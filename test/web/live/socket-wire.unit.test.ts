import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { SocketWire } from "../../../src/web/live/wires.ts";

const event = { name: "update" as const, stream: ["user"] };

describe("the wire of a WebSocket", () => {
  let server: WebSocketServer;
  beforeAll(async () => {
    server = new WebSocketServer({ port: 0, host: "127.0.0.1", autoPong: false });
    await once(server, "listening");
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  afterAll(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });

  async function connected() {
    const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const [[socket]] = (await Promise.all([once(server, "connection"), once(client, "open")])) as [
      [WebSocket],
      unknown,
    ];
    return { client, socket, wire: new SocketWire(socket, () => {}) };
  }

  it("a client that does not read is dropped, with 128 kB unsent at most and a message", async () => {
    const { client, socket, wire } = await connected();
    client.pause();
    const ended = once(socket, "close");
    const data = "a".repeat(50_000);
    let most = 0;
    for (let nth = 0; nth < 1000 && socket.readyState === socket.OPEN; nth += 1) {
      wire.send({ ...event, data });
      most = Math.max(most, socket.bufferedAmount);
      expect(wire.isTaken).toBe(socket.bufferedAmount === 0);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await ended;
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThan(131_072 + 51_000);
    expect(wire.isTaken).toBe(true);
    client.terminate();
  });

  it("a client is asked for a sign of life, and dropped if it gives none", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const { client, socket, wire } = await connected();
    wire.beat();
    vi.advanceTimersByTime(21_000);
    const pinged = once(client, "ping");
    const answered = once(socket, "pong");
    wire.beat();
    await Promise.all([pinged, answered]);
    vi.advanceTimersByTime(50_000);
    wire.beat();
    expect(socket.readyState).toBe(socket.OPEN);
    client.pause();
    vi.advanceTimersByTime(61_000);
    const ended = once(socket, "close");
    wire.beat();
    await ended;
    client.terminate();
  });

  it("pings are answered, up to a hundred between two beats", async () => {
    const { client, wire } = await connected();
    for (let round = 0; round < 2; round += 1) {
      for (let nth = 0; nth < 99; nth += 1) client.ping(String(nth));
      await new Promise<void>((resolve) => {
        client.on("pong", (data: Buffer) => {
          if (data.toString() === "98") resolve();
        });
      });
      wire.beat();
    }
    for (let nth = 0; nth < 101; nth += 1) client.ping();
    const [code] = (await once(client, "close")) as [number];
    expect(code).toBe(1008);
  });
});
