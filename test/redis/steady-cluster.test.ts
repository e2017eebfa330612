import { afterEach, describe, expect, it } from "vitest";
import { Cluster } from "ioredis";
import { parseConfig } from "../../src/config.ts";
import { connect, waitUntilReady } from "../../src/redis/client.ts";
import { startCluster, type TestCluster } from "../support/world/cluster.ts";

describe("a client of a cluster (R19)", () => {
  let cluster: TestCluster | undefined;
  const clients: Cluster[] = [];

  afterEach(async () => {
    for (const client of clients.splice(0)) client.disconnect();
    await cluster?.stop();
  });

  it("a cluster client is ready even if the first node it asked hangs", async () => {
    cluster = await startCluster({ flags: ["--cluster-require-full-coverage", "no"] });
    const { urls, nodes } = cluster;
    const first = connect({ urls }, "worker", parseConfig({ LOG_LEVEL: "silent" }), () => {});
    if (!(first instanceof Cluster)) throw new TypeError("no cluster");
    clients.push(first);
    nodes[1]?.freeze();
    const connecting = Array.from({ length: 16 }, async () => {
      // As BullMQ makes those of its workers.
      const client = first.duplicate(undefined, { lazyConnect: true });
      client.on("error", () => {});
      clients.push(client);
      await client.connect();
      return client.status;
    });
    expect(new Set(await Promise.all(connecting))).toEqual(new Set(["ready"]));
    nodes[1]?.thaw();
  }, 40_000);

  it("a cluster client soon asks another node for the slots if one hangs", async () => {
    cluster = await startCluster({ flags: ["--cluster-require-full-coverage", "no"] });
    const { urls, nodes } = cluster;
    for (let nth = 0; nth < 16; nth += 1) {
      const client = connect({ urls }, "web", parseConfig({ LOG_LEVEL: "silent" }), () => {});
      if (!(client instanceof Cluster)) throw new TypeError("no cluster");
      clients.push(client);
      await waitUntilReady(client, 5000);
    }
    const hanging = nodes.slice(1);
    for (const node of hanging) node.freeze();
    const began = performance.now();
    const looks = clients.map((client) => new Promise((done) => client.refreshSlotsCache(done)));
    expect((await Promise.all(looks)).filter(Boolean)).toEqual([]);
    // Of so many some ask both first, half a second each. With the default of ioredis it is a second each.
    expect(performance.now() - began).toBeLessThan(1950);
    for (const node of hanging) node.thaw();
  }, 40_000);
});
