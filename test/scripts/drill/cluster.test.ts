import { setTimeout as sleep } from "node:timers/promises";
import { Cluster } from "ioredis";
import { afterEach, expect, it } from "vitest";
import { startCluster, type TestCluster } from "../../support/world/cluster.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function start(replicas: 0 | 1): Promise<{ cluster: TestCluster; client: Cluster }> {
  const cluster = await startCluster({ replicas });
  closing.push(() => cluster.stop());
  const client = new Cluster(cluster.urls);
  closing.push(() => client.disconnect());
  return { cluster, client };
}

it("a replica takes the place of a primary that is killed, and the primary returns as a replica", async () => {
  const { cluster, client } = await start(1);
  await client.set("key", "kept");
  // By the connection that wrote: another one would have nothing to wait for.
  await Promise.all(client.nodes("master").map((node) => node.wait(1, 5000)));
  const before = await cluster.shardOf("key");
  await before.primary.kill();
  while ((await cluster.shardOf("key")).primary === before.primary) await sleep(50);
  expect((await cluster.shardOf("key")).primary).toBe(before.replicas[0]);
  expect(await client.get("key")).toBe("kept");
  before.primary.restart();
  while ((await cluster.shardOf("key")).replicas[0] !== before.primary) await sleep(50);
});

it("slots move to a node that was added, while keys are written", async () => {
  const { cluster, client } = await start(0);
  const node = await cluster.addNode();
  const ending = new AbortController();
  const written: string[] = [];
  const writing = (async () => {
    while (!ending.signal.aborted) {
      const key = `{a}${written.length}`;
      await client.set(key, key);
      written.push(key);
    }
  })();
  while (written.length < 300) await sleep(5);
  const slot = Number(await cluster.nodes[0]?.client.call("CLUSTER", "KEYSLOT", "{a}"));
  await cluster.moveSlots([slot, slot + 1], 3);
  ending.abort();
  await writing;
  expect((await cluster.shardOf("{a}")).primary).toBe(node);
  expect(await node.client.dbsize()).toBe(written.length);
  for (const key of written) expect(await client.get(key)).toBe(key);
});

it("a cluster counts as serving once every primary takes commands again", async () => {
  const { cluster } = await start(0);
  const [one, other] = cluster.nodes;
  one?.freeze();
  while (String(await other?.client.cluster("INFO")).includes("cluster_state:ok")) await sleep(20);
  const serving = cluster.serving().then(() => "serving");
  expect(await Promise.race([serving, sleep(300, "not yet")])).toBe("not yet");
  one?.thaw();
  expect(await serving).toBe("serving");
  for (const { client } of cluster.nodes)
    expect(await client.cluster("INFO")).toContain("cluster_state:ok");
});
