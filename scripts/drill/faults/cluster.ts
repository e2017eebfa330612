import {
  type ClusterOptions,
  startCluster,
  type TestCluster,
} from "../../../test/support/world/cluster.ts";
import {
  type ClusterNode,
  freePlaces,
  type Place,
} from "../../../test/support/world/cluster-node.ts";
import type { Lab } from "../lab/lab.ts";
import { Proxy, type Silence } from "./proxy.ts";

/** Milliseconds without an answer after which the nodes of a drill take one of them for failing. */
export const nodeTimeout = 2000;
/** How long a failover may keep users waiting: until it is noticed, voted on, and known to clients. */
export const failoverMilliseconds = nodeTimeout + 4000;
/**
 * How long the site may need once nodes serve that were all away. Until then it is up to Redis, which
 * may need over three times `nodeTimeout`: two until it no longer takes a node for failed, and one more.
 */
export const returnMilliseconds = 2000;

/** A cluster whose nodes are reached, by each other and by clients, through proxies only. */
export interface DrillCluster extends TestCluster {
  redisUrl: string;
  /** Nothing passes between these nodes and all others, clients included; they live on. */
  cutOff(...nodes: ClusterNode[]): void;
  /** What primaries write no longer reaches these replicas, which stay in touch otherwise. */
  lag(...replicas: ClusterNode[]): void;
  /** What was held back never arrives. */
  forgetLag(): void;
  /** The network is whole again. */
  reconnect(): void;
}

/** What stands before a node. */
interface Line {
  place: Place;
  clients: Proxy;
  bus: Proxy;
}

/** Three primaries and, where `options` say so, their replicas; it ends with the lab. */
export async function drillCluster(lab: Lab, options: ClusterOptions): Promise<DrillCluster> {
  // Chosen together: a proxy on any free port might take that of a node which is not started yet.
  const free = await freePlaces(14);
  const lines = await Promise.all(
    free.slice(0, 7).map((place, nth) => lineTo(place, free[nth + 7], nth)),
  );
  const proxies = lines.flatMap(({ clients, bus }) => [clients, bus]);
  lab.onClose(() => proxies.forEach((proxy) => proxy.close()));
  const places = lines.map(({ place }) => place);
  const count = 3 + 3 * (options.replicas ?? 0);
  const flags = ["--appendonly", "yes", ...(options.flags ?? [])];
  const given = { ...options, flags, nodeTimeout, places: places.slice(0, count) };
  const cluster = await startCluster(given);
  lab.onClose(() => cluster.stop());
  return {
    ...cluster,
    redisUrl: cluster.urls.join(","),
    addNode: () => cluster.addNode(places[count]),
    cutOff(...nodes) {
      for (const { place, clients, bus } of lines) {
        const isCut = nodes.some((node) => node.place === place);
        for (const proxy of [clients, bus]) proxy.silence(isCut ? undefined : isFrom(nodes));
      }
    },
    lag: (...replicas) => lines.forEach(({ clients }) => clients.silence(isFrom(replicas))),
    forgetLag() {
      for (const { clients } of lines) {
        clients.loseSilent();
        clients.heal();
      }
    },
    reconnect: () => proxies.forEach((proxy) => proxy.heal()),
  };
}

function isFrom(nodes: ClusterNode[]): Silence {
  return (source) => nodes.some(({ place }) => place.source === source);
}

/** Nodes call each other from addresses of their own, by which proxies tell them apart. */
async function lineTo(place: Place, front: Place | undefined, nth: number): Promise<Line> {
  const clients = await Proxy.before(place.port, front?.port);
  const bus = await Proxy.before(place.busPort, front?.busPort);
  const announced = { port: clients.port, busPort: bus.port };
  return { place: { ...place, announced, source: `127.0.0.${nth + 11}` }, clients, bus };
}
