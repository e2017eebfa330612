import express from "express";
import request from "supertest";
import { afterAll, afterEach, beforeAll, beforeEach, describe, it } from "vitest";
import type { RedisClient } from "../../../src/redis/redis-client.ts";
import { showOwnWrites } from "../../../src/web/server/cached-answers.ts";
import { faultyNetwork, type FaultyNetwork } from "../../support/world/faulty-network.ts";
import {
  type MemoryProcess,
  startProcess,
  stopProcess,
} from "../../support/world/memory-process.ts";
import { createWorld, type World } from "../../support/world/world.ts";
import { onCluster, testAddress } from "../../support/world/test-redis.ts";

const client = (test: request.Test) => test.set("Authorization", "Bearer one");

describe.skipIf(onCluster)("after an answer to a request that writes", () => {
  let world: World;
  let network: FaultyNetwork;
  let far: MemoryProcess;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  beforeEach(async () => {
    const address = testAddress();
    if (!("socket" in address)) throw new TypeError("no socket");
    network = await faultyNetwork({ path: address.socket });
    const url = `redis://127.0.0.1:${network.port}/${address.db ?? 0}`;
    far = await startProcess({ urls: [url] });
  });
  afterEach(async () => {
    stopProcess(far);
    await network.close();
  });
  afterAll(() => world.close());

  it.each(["post", "put", "patch", "delete"] as const)(
    "a page of the client shows what %s wrote, however late Redis reports it; others do not wait",
    // A report that is late may come before another client asks.
    { retry: 3 },
    async (method) => {
      const key = `${method} ${Date.now()}`;
      const redis: RedisClient = far.redis;
      const app = express();
      app.use(showOwnWrites({ ...world.ctx, redis, memory: far.memory }));
      app.get("/", async (_req, res) => void res.json(await far.recall(key)));
      app[method]("/", async (_req, res) => {
        res.json(await redis.hincrby(key, "version", 1));
      });
      for (const version of [1, 2]) {
        await client(request(app).get("/")).expect(200, String(version - 1));
        // The connection that listens.
        network.delay(400, 2);
        await client(request(app)[method]("/")).expect(200, String(version));
        const other = request(app).get("/").set("Authorization", "Bearer two");
        await other.expect(200, String(version - 1));
        await client(request(app).get("/")).expect(200, String(version));
        network.delay(0);
      }
    },
  );
});
