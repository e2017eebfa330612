import express, { type Express } from "express";
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

const methods = ["post", "put", "patch", "delete"] as const;
type Method = (typeof methods)[number];
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

  /** A site whose page shows the version of `key`, which a request by `method` raises. */
  const siteOf = (key: string, method: Method) => {
    const redis: RedisClient = far.redis;
    const app = express();
    app.use(showOwnWrites({ ...world.ctx, redis, memory: far.memory }));
    app.get("/", async (_req, res) => void res.json(await far.recall(key)));
    app[method]("/", async (_req, res) => {
      res.json(await redis.hincrby(key, "version", 1));
    });
    return app;
  };
  /** Late are the reports of the connection that listens. */
  const write = async (app: Express, method: Method) => {
    network.delay(400, 2);
    await client(request(app)[method]("/")).expect(200);
  };

  it.each(methods)(
    "a page of the client shows what %s wrote, however late Redis reports it",
    async (method) => {
      const app = siteOf(method, method);
      for (const version of [1, 2]) {
        await client(request(app).get("/")).expect(200, String(version - 1));
        await write(app, method);
        await client(request(app).get("/")).expect(200, String(version));
        network.delay(0);
      }
    },
  );

  // The report may come before the other client asks.
  it("a page of another client does not wait for the report", { retry: 3 }, async () => {
    const app = siteOf(`key ${Date.now()}`, "post");
    await client(request(app).get("/")).expect(200, "0");
    await write(app, "post");
    await request(app).get("/").set("Authorization", "Bearer two").expect(200, "0");
    network.delay(0);
  });
});
