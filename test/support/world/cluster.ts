import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import calculateSlot from "cluster-key-slot";
import {
  type ClusterNode,
  freePlaces,
  type NodeOptions,
  type Place,
  startNode,
} from "./cluster-node.ts";
import { moveSlots, serves, slotCount, viewOf } from "./cluster-slots.ts";

export interface ClusterOptions extends NodeOptions {
  /** Default: 3. */
  primaries?: number;
  /** Replicas of each primary. */
  replicas?: 0 | 1;
  /** Where the nodes listen, primaries first; default: free ports. */
  places?: Place[];
}

export interface Shard {
  primary: ClusterNode;
  replicas: ClusterNode[];
}

export interface TestCluster {
  /** Addresses that clients get; any of them is a valid seed. */
  urls: string[];
  /** The first primaries, their replicas in the same order, then added nodes. */
  nodes: ClusterNode[];
  /** Moves a slot with its keys to another node. */
  moveSlot(slot: number, to: number): Promise<void>;
  moveSlots(slots: number[], to: number): Promise<void>;
  /** Waits where no node serves the key. */
  shardOf(key: string): Promise<Shard>;
  /** Adds a primary without slots. */
  addNode(place?: Place): Promise<ClusterNode>;
  /** Resolves once every answering node agrees that all slots are served by an answering primary. */
  whole(): Promise<void>;
  /** Resolves once every primary reports that it takes commands, whatever its view of the others. */
  serving(): Promise<void>;
  /** Resolves once this node is a replica that follows its primary: one that never did cannot take over. */
  inStep(node: ClusterNode): Promise<void>;
  stop(): Promise<void>;
}

/** A real cluster, with or without replicas, on ports of the loopback interface. */
export async function startCluster(options: ClusterOptions = {}): Promise<TestCluster> {
  const dir = await mkdtemp(join(tmpdir(), "suzume-cluster-"));
  const { primaries = 3 } = options;
  const count = primaries * (1 + (options.replicas ?? 0));
  const places = options.places ?? (await freePlaces(count));
  const nodes = await Promise.all(places.map((place) => startNode(dir, place, options)));
  await introduce(nodes.slice(0, primaries), nodes.slice(primaries));
  const move = (slots: number[], to: number) => moveSlots(nodes, slots, nodeAt(nodes, to));
  return {
    urls: nodes.map(({ url }) => url),
    nodes,
    moveSlot: (slot, to) => move([slot], to),
    moveSlots: move,
    shardOf: (key) => shardOf(nodes, calculateSlot(key)),
    async addNode(place) {
      const [free] = await freePlaces(1);
      const node = await startNode(dir, place ?? (free as Place), options);
      await meet(nodeAt(nodes, 0), [node]);
      nodes.push(node);
      await untilKnown(nodes);
      await untilWhole(nodes);
      return node;
    },
    whole: () => untilWhole(nodes),
    serving: () => untilServing(nodes),
    inStep: ({ client }) => untilInStep(client),
    async stop() {
      await Promise.all(nodes.map((node) => node.stop()));
      await rm(dir, { recursive: true, force: true });
    },
  };
}

function nodeAt(nodes: ClusterNode[], nth: number): ClusterNode {
  const node = nodes[nth];
  if (node === undefined) throw new Error(`no node ${nth}`);
  return node;
}

async function introduce(primaries: ClusterNode[], replicas: ClusterNode[]): Promise<void> {
  const share = Math.ceil(slotCount / primaries.length);
  for (const [nth, { client }] of primaries.entries()) {
    const last = Math.min((nth + 1) * share, slotCount) - 1;
    await client.call("CLUSTER", "ADDSLOTSRANGE", nth * share, last);
    await client.call("CLUSTER", "SET-CONFIG-EPOCH", nth + 1);
  }
  const all = [...primaries, ...replicas];
  await meet(nodeAt(all, 0), all.slice(1));
  await untilKnown(all);
  for (const [nth, { client }] of replicas.entries())
    await client.call("CLUSTER", "REPLICATE", nodeAt(primaries, nth).id);
  for (const { client } of replicas) await untilInStep(client);
  for (const node of all) while ((await replicasIn(node)) < replicas.length) await sleep(20);
  await untilWhole(all);
}

/** Number of replicas that a node knows as such: one that still takes a replica for a primary misleads `moveSlots`. */
async function replicasIn(node: ClusterNode): Promise<number> {
  const view = await viewOf(node);
  return view.filter(({ primary }) => primary !== undefined).length;
}

async function meet(node: ClusterNode, others: ClusterNode[]): Promise<void> {
  for (const { place } of others) {
    const { port, busPort } = place.announced ?? place;
    await node.client.call("CLUSTER", "MEET", "127.0.0.1", port, busPort);
  }
}

/** Resolves once each node knows all others. */
async function untilKnown(nodes: ClusterNode[]): Promise<void> {
  for (const node of nodes)
    while (!String(await node.client.call("CLUSTER", "INFO")).includes(`nodes:${nodes.length}`))
      await sleep(20);
}

async function untilInStep(client: ClusterNode["client"]): Promise<void> {
  const isInStep = async () =>
    (await answerOf(client.info("replication")))?.includes("master_link_status:up") === true;
  while (!(await isInStep())) await sleep(20);
}

async function untilWhole(nodes: ClusterNode[]): Promise<void> {
  for (const node of nodes) while (await isBroken(node)) await sleep(20);
}

/** Checks all at the same time: a serving node may refuse again before the last one serves. */
async function untilServing(nodes: ClusterNode[]): Promise<void> {
  while ((await Promise.all(nodes.map(isRefusing))).includes(true)) await sleep(20);
}

async function isRefusing({ client }: ClusterNode): Promise<boolean> {
  const role = answerOf(client.role());
  const info = answerOf(client.cluster("INFO"));
  return (await role)?.[0] !== "slave" && (await info)?.includes("cluster_state:ok") !== true;
}

/** A node that does not answer does not count. */
async function isBroken(node: ClusterNode): Promise<boolean> {
  const info = await answerOf(node.client.cluster("INFO"));
  return info !== undefined && !/cluster_state:ok[^]*cluster_slots_ok:16384/.test(info);
}

async function answerOf<Answer>(asked: Promise<Answer>): Promise<Answer | undefined> {
  return await Promise.race([asked.catch(() => undefined), sleep(200).then(() => undefined)]);
}

/** Views of separated nodes are old: the newest epoch tells which node serves a slot. */
async function shardOf(nodes: ClusterNode[], slot: number): Promise<Shard> {
  for (;;) {
    const views = await Promise.all(
      nodes.map(async (node) => (await answerOf(viewOf(node))) ?? []),
    );
    const serving = views.flat().filter((one) => !one.failed && serves(one, slot));
    const newest = serving.toSorted((one, other) => other.epoch - one.epoch)[0];
    const primary = nodes.find(({ id }) => id === newest?.id);
    if (primary !== undefined) {
      const own = views[nodes.indexOf(primary)] ?? [];
      const isReplica = ({ id }: ClusterNode) =>
        own.some((one) => one.id === id && one.primary === primary.id);
      return { primary, replicas: nodes.filter(isReplica) };
    }
    await sleep(50);
  }
}
