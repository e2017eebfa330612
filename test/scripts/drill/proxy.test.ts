import { Redis } from "ioredis";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Proxy } from "../../../scripts/drill/faults/proxy.ts";
import { createServer, connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { testSocket } from "../../support/world/test-redis.ts";

let proxy: Proxy;
let client: Redis;
const closing: (() => unknown)[] = [];
beforeEach(async () => {
  // The Redis of the tests listens on a socket; a port of its own leads there.
  const bridge = createServer((from) => {
    const to = connect(testSocket());
    from.pipe(to).pipe(from);
    for (const socket of [from, to]) socket.on("error", () => {});
  });
  await new Promise<void>((resolve) => bridge.listen(0, "127.0.0.1", resolve));
  const address = bridge.address();
  proxy = await Proxy.before(typeof address === "object" ? (address?.port ?? 0) : 0);
  client = new Redis(proxy.url, { retryStrategy: () => 20, maxRetriesPerRequest: null });
  client.on("error", () => {});
  closing.push(
    () => bridge.close(),
    () => proxy.close(),
    () => client.disconnect(),
  );
  await client.ping();
});
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** What comes first: the answer or 300 ms of silence. */
const soon = (asked: Promise<string>) => Promise.race([asked, sleep(300, "silence")]);

it("a connection that fell silent goes on when the network heals, with what was sent meanwhile", async () => {
  proxy.silence();
  const asked = client.ping();
  expect(await soon(asked)).toBe("silence");
  proxy.heal();
  expect(await asked).toBe("PONG");
});

it("a connection that is lost says nothing ever, while a new one is well", async () => {
  proxy.loseConnections();
  expect(await soon(client.ping())).toBe("silence");
  const other = client.duplicate();
  expect(await other.ping()).toBe("PONG");
  other.disconnect();
});

it("connections of one address can be silent alone", async () => {
  proxy.silence((source) => source === "127.0.0.2");
  expect(await client.ping()).toBe("PONG");
  proxy.silence((source) => source === "127.0.0.1");
  expect(await soon(client.ping())).toBe("silence");
});

it("answers come late, and in order once they no longer do", async () => {
  proxy.delay = 400;
  const began = performance.now();
  const order: number[] = [];
  const first = client.ping().then(() => order.push(1));
  await sleep(50);
  proxy.delay = 0;
  const second = client.ping().then(() => order.push(2));
  await Promise.all([first, second]);
  expect(performance.now() - began).toBeGreaterThan(390);
  expect(order).toEqual([1, 2]);
});

it("connections are cut, and new ones are well", async () => {
  const closed = new Promise((resolve) => client.once("close", resolve));
  proxy.cut();
  await closed;
  expect(await client.ping()).toBe("PONG");
});
