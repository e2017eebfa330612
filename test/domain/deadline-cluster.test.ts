import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { contextWithDeadlines } from "../../src/domain/deadline.ts";
import { isOutage } from "../../src/domain/outage.ts";
import { readingDeadline, recorded } from "../../src/domain/scope.ts";
import { connect, waitUntilReady } from "../../src/redis/client.ts";
import { exec } from "../../src/redis/exec.ts";
import { startCluster, type TestCluster } from "../support/world/cluster.ts";
import { createWorld, type World } from "../support/world/world.ts";

let world: World;
let cluster: TestCluster;
beforeAll(async () => {
  world = await createWorld({}, { workers: false });
  cluster = await startCluster();
});
afterAll(async () => {
  await cluster.stop();
  await world.close();
});

it("a batch that the client repeats after the deadline fails for its caller, and no rejection is unheard", async () => {
  const unheard: unknown[] = [];
  const hear = (reason: unknown) => void unheard.push(reason);
  process.on("unhandledRejection", hear);
  const address = { urls: cluster.urls };
  const redis = connect(address, "web", world.ctx.config, () => {});
  await waitUntilReady(redis, 10_000);
  const ctx = contextWithDeadlines({ ...world.ctx, redis });
  // Each node refuses all commands, as while another one fails: the client tries again after 200 ms.
  for (const { client } of cluster.nodes) {
    await client.call("CLUSTER", "DELSLOTS", 16_383);
    while (!(await client.cluster("INFO")).includes("cluster_state:fail")) await sleep(20);
  }
  const deadline = { ...readingDeadline(), writes: true };
  const work = () =>
    exec(ctx.redis, [
      ["get", "a"],
      ["get", "a"],
    ]);
  const running = recorded(undefined, work, deadline).catch((error: unknown) => error);
  await sleep(100);
  deadline.passed = true;
  const outcome = await Promise.race([running, sleep(5000).then(() => "nothing")]);
  await sleep(500);
  process.off("unhandledRejection", hear);
  redis.disconnect();
  expect(outcome).toSatisfy(isOutage);
  expect(unheard).toEqual([]);
});
