import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { launchServer, type PlainServer } from "./plain-server.ts";

const slots = 16_384;

export interface TestCluster {
  /** The nodes' own addresses. */
  urls: string[];
  /** One client for each node, in the order of `urls`. */
  nodes: Redis[];
  /** Gives a slot that holds keys, or none, to another node at once. */
  moveSlot(slot: number, to: number): Promise<void>;
  stop(): Promise<void>;
}

/** A cluster of three primaries without replicas, on ports of the loopback interface. */
export async function startCluster(): Promise<TestCluster> {
  const dir = await mkdtemp(join(tmpdir(), "suzume-cluster-"));
  const ports = await freePorts(6);
  const servers = [0, 1, 2].map((nth) => launch(dir, ports[nth] ?? 0, ports[nth + 3] ?? 0));
  const nodes = ports.slice(0, 3).map((port) => {
    const node = new Redis({ port, retryStrategy: () => 20, maxRetriesPerRequest: null });
    return node.on("error", () => {});
  });
  await introduce(nodes, ports);
  return {
    urls: ports.slice(0, 3).map((port) => `redis://127.0.0.1:${port}`),
    nodes,
    moveSlot: (slot, to) => moveSlot(nodes, ports, slot, to),
    async stop() {
      for (const node of nodes) node.disconnect();
      await Promise.all(servers.map((server) => server.kill()));
      await rm(dir, { recursive: true, force: true });
    },
  };
}

function launch(dir: string, port: number, busPort: number): PlainServer {
  const place = ["--port", port, "--cluster-port", busPort, "--bind", "127.0.0.1", "--dir", dir];
  const cluster = ["--cluster-enabled", "yes", "--cluster-config-file", `${port}.conf`];
  return launchServer([...place, ...cluster, "--cluster-node-timeout", 2000]);
}

async function introduce(nodes: Redis[], ports: number[]): Promise<void> {
  const share = Math.ceil(slots / nodes.length);
  for (const [nth, node] of nodes.entries()) {
    const last = Math.min((nth + 1) * share, slots) - 1;
    await node.call("CLUSTER", "ADDSLOTSRANGE", nth * share, last);
    await node.call("CLUSTER", "SET-CONFIG-EPOCH", nth + 1);
  }
  for (const nth of [1, 2])
    await nodes[0]?.call("CLUSTER", "MEET", "127.0.0.1", ports[nth] ?? 0, ports[nth + 3] ?? 0);
  for (const node of nodes) await untilWhole(node);
}

async function untilWhole(node: Redis): Promise<void> {
  for (;;) {
    const info = String(await node.call("CLUSTER", "INFO"));
    if (info.includes("cluster_state:ok") && info.includes("cluster_known_nodes:3")) return;
    await sleep(20);
  }
}

async function moveSlot(nodes: Redis[], ports: number[], slot: number, to: number): Promise<void> {
  const target = nodes[to];
  if (target === undefined) throw new Error(`no node ${to}`);
  const id = String(await target.call("CLUSTER", "MYID"));
  for (const node of nodes) {
    const names = (await node.call("CLUSTER", "GETKEYSINSLOT", slot, 1000)) as string[];
    if (node === target || names.length === 0) continue;
    const source = String(await node.call("CLUSTER", "MYID"));
    await target.call("CLUSTER", "SETSLOT", slot, "IMPORTING", source);
    await node.call("CLUSTER", "SETSLOT", slot, "MIGRATING", id);
    const place = ["127.0.0.1", ports[to] ?? 0, "", 0, 5000];
    await node.call("MIGRATE", ...place, "KEYS", ...names);
  }
  for (const node of [target, ...nodes.filter((other) => other !== target)])
    await node.call("CLUSTER", "SETSLOT", slot, "NODE", id);
  while (!(await agree(nodes, id))) await sleep(20);
}

/** Whether all nodes have heard of the last slot that this one took over; before, they quarrel about it. */
async function agree(nodes: Redis[], id: string): Promise<boolean> {
  const epochs = await Promise.all(
    nodes.map(async (node) => {
      const lines = String(await node.call("CLUSTER", "NODES")).split("\n");
      return lines.find((line) => line.startsWith(id))?.split(" ")[6];
    }),
  );
  return new Set(epochs).size === 1;
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => new Promise((ok) => server.once("listening", ok))));
  const ports = servers.map((server) => {
    const address = server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  });
  await Promise.all(servers.map((server) => new Promise((ok) => server.close(ok))));
  return ports;
}
