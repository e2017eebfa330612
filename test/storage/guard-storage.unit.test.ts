import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { parseConfig } from "../../src/config.ts";
import { StorageAway } from "../../src/domain/errors.ts";
import { guardStorage, openStorage } from "../../src/storage/guard-storage.ts";
import type { Storage } from "../../src/storage/storage.ts";

const file = "17-0123456789abcdef01234567-0123456789abcdef.webp";
const isAway = (error: unknown) => error instanceof StorageAway;

type Answer = (req: IncomingMessage, res: ServerResponse) => unknown;

/** HEAD gives the size only. */
const sendFile: Answer = ({ method }, res) =>
  res.writeHead(200, { "Content-Length": 4 }).end(method === "HEAD" ? "" : "wren");

const failures: Record<string, Answer> = {
  "refuses requests": (_req, res) => res.writeHead(503).end(),
  "ends connections": (req) => req.socket.destroy(),
  "never answers": () => {},
};

describe("a bucket that is away", () => {
  let answer: Answer = sendFile;
  let requests = 0;
  const server = createServer((req, res) => {
    requests += 1;
    req.resume();
    answer(req, res);
  });
  let storage: Storage;
  beforeAll(async () => {
    await once(server.listen(0, "127.0.0.1"), "listening");
  });
  const open = (milliseconds: number) => {
    const { port } = server.address() as AddressInfo;
    const settings = {
      BUCKET_URL: `http://127.0.0.1:${port}/birds`,
      BUCKET_KEY_ID: "a",
      BUCKET_SECRET: "b",
    };
    return openStorage(parseConfig(settings), milliseconds) as Storage;
  };
  beforeEach(() => {
    storage = open(1000);
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const read = async () => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of (await (await storage.find(file))?.read()) ?? [])
      chunks.push(chunk as Uint8Array);
    return Buffer.concat(chunks).toString();
  };
  const callAll = async () => {
    const results = await Promise.allSettled([
      read(),
      storage.put(file, Buffer.from("wren"), "image/webp"),
      storage.putBriefly(file, Buffer.from("wren")),
      storage.remove(file),
      storage.check(),
    ]);
    return results.map((result) => (result.status === "rejected" ? isAway(result.reason) : "well"));
  };
  const [allAway, allWell] = [Array<unknown>(5).fill(true), Array<unknown>(5).fill("well")];

  it.each(Object.keys(failures))(
    "a bucket that %s is an outage, is not asked all the time, and is used again later",
    async (how) => {
      answer = failures[how] ?? sendFile;
      // The pause between two tries is much longer.
      storage = open(300);
      for (let time = 1; time <= 3; time += 1) expect(await callAll()).toEqual(allAway);
      const before = requests;
      for (let time = 1; time <= 10; time += 1) expect(await callAll()).toEqual(allAway);
      expect(requests).toBe(before);
      answer = sendFile;
      await expect.poll(callAll, { timeout: 30_000, interval: 500 }).toEqual(allWell);
    },
  );

  it("a file that stops in the middle is an outage", async () => {
    answer = ({ method }, res) => {
      res.writeHead(200, { "Content-Length": 4 });
      if (method === "HEAD") res.end();
      else res.write("wr");
    };
    await expect(read()).rejects.toSatisfy(isAway);
  });

  it("files can be read while they cannot be written", async () => {
    answer = (req, res) => (req.method === "PUT" ? res.writeHead(507).end() : sendFile(req, res));
    for (let time = 1; time <= 5; time += 1)
      await expect(storage.check()).rejects.toSatisfy(isAway);
    expect(await read()).toBe("wren");
  });
});

it("a wrong name is a defect and no outage, and does not count as a failure", async () => {
  const storage = openStorage(parseConfig({ DATA_DIR: tmpdir() })) as Storage;
  for (let time = 1; time <= 5; time += 1)
    await expect(storage.find("../secret.webp")).rejects.toThrow(TypeError);
  await expect(storage.find(file)).resolves.toBeUndefined();
});

it("a file that opens after the patience is closed again", async () => {
  const parts = Readable.from(["wren"]);
  const folder = openStorage(parseConfig({ DATA_DIR: tmpdir() })) as Storage;
  const slow = { ...folder, find: async () => ({ size: 4, read: () => sleep(200, parts) }) };
  const found = await guardStorage(slow, 10).find(file);
  await expect(found?.read()).rejects.toSatisfy(isAway);
  await expect.poll(() => parts.destroyed).toBe(true);
});
