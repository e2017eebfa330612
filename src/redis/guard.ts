import calculateSlot from "cluster-key-slot";
import { Cluster, type Redis } from "ioredis";
import { isClusterNode } from "./client.ts";
import { keys } from "./keys.ts";
import type { RedisClient } from "./redis-client.ts";
import { addressOf, infoOf, primariesOf } from "./servers.ts";
import { randomUUID } from "node:crypto";

/** Interval of checks without a caller. */
const everyMilliseconds = 10_000;
/** Milliseconds without a reply after which a node counts as down. */
const patience = 1500;
const slotCount = 16_384;

export type Guard = ReturnType<typeof guard>;

interface Watch {
  /** Its address, without secrets. */
  address: string;
  /** Rejects if no work can be promised. */
  promises(): Promise<void>;
  /** Called when the problems have changed. */
  onChange(troubles: string[]): void;
}

/** Watches Redis: checks when the client is ready again, when it finds another node, and at intervals. */
export function guard(client: RedisClient, { address, promises, onChange }: Watch) {
  let looking: Promise<string[]> | undefined;
  let lastProblem = "";
  let drops = false;
  let lastError: unknown;
  const waiting: (() => void)[] = [];
  const well = new Promise<void>((resolve) => waiting.push(resolve));

  const find = async (): Promise<string[]> => {
    // A command would fail without the reason why there is no connection.
    if (client.status !== "ready")
      return [describeError(lastError ?? new Error("is closed"), address)];
    const troubles = await problemsOf(client);
    if (troubles.length > 0) return troubles;
    return await promises().then(
      () => [],
      (error: unknown) => [`the job queue: ${describeError(error, address)}`],
    );
  };
  const look = async () => {
    const troubles = await find();
    // The policy is asked for last, before the job queue: other troubles leave it as it was.
    if (troubles.every((one) => one.startsWith("the job queue"))) drops = false;
    else if (troubles.some((one) => one.includes("maxmemory-policy"))) drops = true;
    if (troubles.join() !== lastProblem) onChange(troubles);
    lastProblem = troubles.join();
    if (troubles.length === 0) for (const resolve of waiting.splice(0)) resolve();
    return troubles;
  };
  const once = () => (looking ??= look().finally(() => (looking = undefined)));
  const again = () => void once();
  const remember = (error: unknown) => (lastError = error);
  const timer = setInterval(again, everyMilliseconds).unref();
  for (const event of ["ready", "+node"]) client.on(event, again);
  for (const event of ["error", "node error"]) client.on(event, remember);
  return {
    /** Current problems in words; empty if there is none. Concurrent callers share one check. */
    look: once,
    /** True while Redis is set to delete data when it is full: then nothing must be written to it. */
    refusesWrites: () => drops,
    /** Resolves when there is no problem for the first time. */
    well,
    stop() {
      clearInterval(timer);
      for (const event of ["ready", "+node"]) client.off(event, again);
    },
  };
}

/**
 * Current problems of Redis, in words for the operator, each with its address; empty if every primary reads
 * and writes. Cheap enough for one call per second.
 */
async function problemsOf(client: RedisClient): Promise<string[]> {
  const problems = client instanceof Cluster ? await ofCluster(client) : await ofServer(client);
  return problems.length > 0 ? problems : await evictionOf(client);
}

async function ofServer(client: Exclude<RedisClient, Cluster>): Promise<string[]> {
  const address = addressOf(client);
  const problems = await probe(client, keys.probe(0), address);
  if (problems.length > 0 || !(await isClusterNode(client).catch(() => false))) return problems;
  return [describeError(new Error("MOVED"), address)];
}

async function ofCluster(client: Cluster): Promise<string[]> {
  const primaries = probesOf(client);
  const unserved = slotCount - primaries.slots;
  if (primaries.nodes.size === 0) return ["no node of the cluster can be reached"];
  const ofNodes = await Promise.all(
    [...primaries.nodes].map(([address, key]) => probe(client, key, address)),
  );
  return [
    ...(unserved > 0 ? [`${unserved} slots of the cluster are nowhere`] : []),
    ...ofNodes.flat(),
  ];
}

/** Each primary with a key in one of its slots, and the total number of their slots. */
function probesOf({ slots }: Cluster): { nodes: Map<string, string>; slots: number } {
  const owners = new Map<number, string>();
  for (const [slot, [owner]] of slots.entries()) if (owner) owners.set(slot, owner);
  const nodes = new Map<string, string>();
  const wanted = new Set(owners.values()).size;
  for (let nth = 0; nodes.size < wanted && nth < slotCount; nth += 1) {
    const owner = owners.get(calculateSlot(keys.probe(nth)));
    if (owner !== undefined && !nodes.has(owner)) nodes.set(owner, keys.probe(nth));
  }
  return { nodes, slots: owners.size };
}

/** Writes an empty string to a missing key. This changes nothing, and is refused whenever a real write is. */
async function probe(client: RedisClient, key: string, address: string): Promise<string[]> {
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error("Command timed out")), patience).unref();
  });
  try {
    await Promise.race([client.setrange(key, 0, ""), late]);
    return [];
  } catch (error) {
    return [describeError(error, address)];
  }
}

/** Any policy but "noeviction" lets a full Redis delete tweets and users. Empty if the provider hides the policy. */
async function evictionOf(client: RedisClient): Promise<string[]> {
  const infos = primariesOf(client).map((node) => infoOf(node, "memory"));
  const policies = await Promise.all(infos).catch(() => []);
  const wrong = policies
    .map(({ maxmemory_policy: policy = "noeviction" }) => policy)
    .find((policy) => policy !== "noeviction");
  if (wrong === undefined) return [];
  return [
    `Redis would drop data when its memory is full (maxmemory-policy ${wrong}). ` +
      "Remedy: `redis-cli config set maxmemory-policy noeviction`, or your provider's setting for it.",
  ];
}

/** Text for the operator about an error, with advice; never contains a password. */
export function describeError(error: unknown, address: string): string {
  const message = messageOf(error);
  const row = sentences.find(([pattern]) => pattern.test(message));
  return row === undefined ? `${address}: ${message}` : `${address} ${row[1]} (${message})`;
}

/** A cluster's client says that all nodes failed; its last error says why. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { lastNodeError } = error as { lastNodeError?: unknown };
  return lastNodeError instanceof Error ? lastNodeError.message : error.message;
}

const sentences: [pattern: RegExp, sentence: string][] = [
  [/^WRONGPASS|invalid password/i, "refuses the password in REDIS_URL"],
  [/^NOAUTH/, "wants a password; put it into REDIS_URL"],
  [/cluster support disabled/, "is no cluster: REDIS_URL must name it alone"],
  [/^MOVED|^ASK/, "is a node of a cluster that was not known as one; restart this process"],
  [/^LOADING/, "is loading its data"],
  [/^MISCONF/, "takes no writes: its disk fails or is full"],
  [/^OOM/, "takes no writes: its memory is full"],
  [/^NOREPLICAS/, "takes no writes: it has too few replicas"],
  [/^READONLY/, "takes no writes: it is a replica"],
  [/^CLUSTERDOWN/, "belongs to a cluster that is down in part"],
  [/timed out|timeout/i, "does not answer"],
  [/ECONN|ENOENT|EHOST|ENET|ENOTFOUND|EAI_AGAIN|isn't writeable|is closed/, "cannot be reached"],
];

/** Interval of the pulse. */
const pulseMilliseconds = 1000;

/**
 * Echoes a word on every connection once a second. A silent connection is thus found before a request waits
 * for its timeout. A connection with a wrong answer is out of step: each command gets the reply to another
 * one. It is closed at once, and `onOutOfStep` gets its node. Clients may be added to the list later. Returns
 * a function that stops it.
 */
export function keepPulse(
  clients: readonly RedisClient[],
  onOutOfStep: (address: string) => void,
): () => void {
  const beat = () => {
    const nodes = clients.flatMap((one) => (one instanceof Cluster ? one.nodes("all") : [one]));
    for (const node of nodes) if (node.status === "ready") void checkNode(node, onOutOfStep);
  };
  const timer = setInterval(beat, pulseMilliseconds).unref();
  return () => clearInterval(timer);
}

async function checkNode(node: Redis, onOutOfStep: (address: string) => void): Promise<void> {
  const word = randomUUID();
  const answer = await node.echo(word).catch(() => word);
  if (answer === word) return;
  onOutOfStep(addressOf(node));
  node.stream.destroy();
}
