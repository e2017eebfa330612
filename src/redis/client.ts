import { Cluster, Redis, type RedisOptions } from "ioredis";
import type { Config } from "../config.ts";
import { defineScripts, type RedisClient } from "./redis-client.ts";
import { infoOf, primariesOf } from "./servers.ts";

/**
 * Address of Redis: URLs, or the socket of a private server. Several URLs are seeds of a cluster; a single one
 * is, if `cluster` says so.
 */
export type Address = { urls: string[]; cluster?: boolean } | { socket: string; db?: number };

/**
 * A page answers 503 within 3 s instead of waiting. A connection that has unanswered commands and receives
 * nothing for `socketTimeout` is closed and opened again; an idle one is not.
 */
const failFast = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  commandTimeout: 2000,
  socketTimeout: 2500,
};

const waiting = { enableOfflineQueue: true, maxRetriesPerRequest: null };

/** Behaviour of each kind of client while Redis is away. For the numbers see docs/decisions/0003. */
const profiles = {
  /** Pipelines the commands of one turn, after the batch before. If Redis hangs, one may wait for two timeouts. */
  web: { ...failFast, commandTimeout: 1300, enableAutoPipelining: true },
  /** BullMQ's connection for writing, which pipelines by itself. */
  queue: failFast,
  /** A job survives any outage. The timeout must exceed the blocking time of workers, see jobs/queue-worker.ts. */
  worker: { ...waiting, socketTimeout: 2500 },
  /** Programs beside the site: waits for answers to long commands, too. */
  tool: { ...waiting, socketTimeout: 60_000 },
  /** Asks thousands of keys at once. If the connection breaks, commands of a pipeline fail, and the doctor ends. */
  doctor: { ...waiting, socketTimeout: 60_000, enableAutoPipelining: true },
} satisfies Record<string, RedisOptions>;

export type ClientProfile = keyof typeof profiles;

/** Connects in the background; `waitUntilReady` tells when. Errors go to `onError`, never to the process. */
export function connect(
  address: Address,
  profile: ClientProfile,
  config: Config,
  onError: (error: Error) => void,
): RedisClient {
  const client = open(address, profile, config);
  client.on("error", onError);
  return defineScripts(client);
}

function open(address: Address, profile: ClientProfile, config: Config): RedisClient {
  const options = optionsOf(profile);
  if ("socket" in address) return new Redis({ ...options, path: address.socket, db: address.db });
  const [first, ...others] = address.urls;
  if (first === undefined) throw new TypeError("connect: no address");
  if (others.length === 0 && address.cluster !== true)
    return new Redis(first, { ...options, ...tls(first, config) });
  return openCluster(address.urls, options, config);
}

function openCluster(urls: string[], options: RedisOptions, config: Config): Cluster {
  const first = new URL(urls[0] ?? "");
  const { enableOfflineQueue, retryStrategy: _, ...redisOptions } = options;
  const cluster = new Cluster(urls, {
    enableOfflineQueue,
    clusterRetryStrategy: backOff,
    retryDelayOnFailover: 200,
    retryDelayOnClusterDown: 200,
    maxRedirections: 8,
    // A hanging node does not tell that another has replaced it: ask the other nodes. Users wait for that, jobs
    // can; each query costs about 3 ms.
    slotsRefreshInterval: enableOfflineQueue === true ? 1000 : 500,
    slotsRefreshTimeout: 500,
    redisOptions: {
      ...redisOptions,
      ...tls(first.href, config),
      username: decodeURIComponent(first.username) || undefined,
      password: decodeURIComponent(first.password) || undefined,
    },
  });
  return steady(cluster);
}

function optionsOf(profile: ClientProfile): RedisOptions {
  return {
    ...profiles[profile],
    connectionName: nameOf(profile),
    connectTimeout: 2000,
    keepAlive: 10_000,
    // INFO would tell how long loading takes, and the next attempt could be 10 s late.
    maxLoadingRetryTime: 500,
    retryStrategy: backOff,
    // A primary that became a replica refuses writes: connect again to find the new one.
    reconnectOnError: (error) => (error.message.startsWith("READONLY") ? 1 : false),
  };
}

/** As CLIENT LIST shows it. */
function nameOf(profile: ClientProfile): string {
  return `suzume-${profile}`;
}

/** Number of connections of web and worker processes; 0 if the host does not tell. */
export async function siteClients(client: RedisClient): Promise<number> {
  const lists = await Promise.all(
    primariesOf(client).map(async (node) => String(await node.client("LIST").catch(() => ""))),
  );
  const names = (["web", "queue", "worker"] as const).map((one) => ` name=${nameOf(one)} `);
  const lines = lists.join("\n").split("\n");
  return lines.filter((line) => names.some((name) => line.includes(name))).length;
}

/** Milliseconds until the next attempt: bounded and random, so that many processes do not return at once. */
function backOff(times: number): number {
  const ceiling = Math.min(50 * 2 ** Math.min(times, 6), 1500);
  return Math.round(ceiling * (0.5 + Math.random() / 2));
}

function tls(url: string, config: Config): RedisOptions {
  return url.startsWith("rediss:")
    ? { tls: { rejectUnauthorized: !config.redisTlsUnverified } }
    : {};
}

/** True once Redis answers; false if it does not within `milliseconds`. */
export async function waitUntilReady(client: RedisClient, milliseconds: number): Promise<boolean> {
  const deadline = Date.now() + milliseconds;
  while (client.status !== "ready") {
    if (Date.now() >= deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return true;
}

/** The address, marked as a cluster if its one server is a node of one and answers in time. */
export async function detectCluster(
  address: Address,
  config: Config,
  milliseconds: number,
): Promise<Address> {
  if ("socket" in address || address.urls.length !== 1) return address;
  const client = connect(address, "web", config, () => {});
  try {
    const answers = await waitUntilReady(client, milliseconds);
    return { ...address, cluster: answers && (await isClusterNode(client)) };
  } catch {
    return address;
  } finally {
    client.disconnect();
  }
}

export async function isClusterNode(client: RedisClient): Promise<boolean> {
  return (await infoOf(client, "cluster"))["cluster_enabled"] === "1";
}

/** The address without secrets. */
export function withoutSecrets(address: Address): string {
  if ("socket" in address) return address.socket;
  const hosts = address.urls.map((url) => (URL.canParse(url) ? new URL(url).host : url));
  return hosts.join(", ");
}

/**
 * The same client, with a `connect()` that always settles. ioredis never settles it if the first node hangs: the client
 * tries again and connects, but callers that wait for the promise, such as BullMQ's workers, wait for ever.
 */
function steady(cluster: Cluster): Cluster {
  const tryOnce = cluster.connect.bind(cluster);
  const duplicate = cluster.duplicate.bind(cluster);
  let outcome: Promise<void> | undefined;
  cluster.connect = async () => {
    outcome ??= outcomeOf(cluster).finally(() => (outcome = undefined));
    await Promise.race([tryOnce(), outcome]);
  };
  cluster.duplicate = (...given: Parameters<typeof duplicate>) => steady(duplicate(...given));
  return cluster;
}

/** Settles after this attempt and its retries. */
async function outcomeOf(cluster: Cluster): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const ready = () => {
      cluster.off("end", ended);
      resolve();
    };
    const ended = () => {
      cluster.off("ready", ready);
      reject(new Error("Connection is closed."));
    };
    cluster.once("ready", ready);
    cluster.once("end", ended);
  });
}
