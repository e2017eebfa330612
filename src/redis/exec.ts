import calculateSlot from "cluster-key-slot";
import { Cluster } from "ioredis";
import type { RedisClient } from "./redis-client.ts";

/** A command: its name, its (first) key, the rest. */
export type Command = [name: string, key: string, ...rest: (string | number)[]];
/** A command whose key and values may be bytes. */
export type Sent = [name: string, key: string | Buffer, ...rest: (string | number | Buffer)[]];

/**
 * Sends many commands in one round trip and resolves to their replies in order. Throws the first failed reply,
 * which a bare ioredis pipeline would hide. On a cluster, the commands go to each node in its own pipeline, to
 * all nodes at once; commands whose slot has just moved to another node are sent once more. Nothing is atomic
 * across commands.
 */
export async function exec(redis: RedisClient, commands: Sent[]): Promise<unknown[]> {
  if (commands.length === 0) return [];
  // An auto-pipelining client sends the commands of one turn of the event loop together, per node. A pipeline of one
  // command would take the process twice as long as the command.
  if (redis.options.enableAutoPipelining === true || commands.length === 1)
    return await Promise.all(commands.map(([name, ...rest]) => redis.call(name, ...rest)));
  if (!(redis instanceof Cluster)) return await send(redis, commands);
  const replies: unknown[] = Array.from({ length: commands.length });
  const groups = byNode(redis, commands);
  await Promise.all(
    groups.map(async (indexes) => {
      const part = indexes.map((index) => commands[index] as Sent);
      const answers = await sendToNode(redis, part);
      for (const [nth, index] of indexes.entries()) replies[index] = answers[nth];
    }),
  );
  return replies;
}

/** The same with a command for each item. */
export async function execEach<Item>(
  redis: RedisClient,
  items: readonly Item[],
  commandFor: (item: Item) => Sent,
): Promise<unknown[]> {
  return await exec(redis, items.map(commandFor));
}

/** A pipeline does not follow redirections if only some of its commands get one; a single command does. */
async function sendToNode(cluster: Cluster, commands: Sent[]): Promise<unknown[]> {
  const results = await cluster.pipeline(commands).exec().catch(noneIfRegrouped);
  return await Promise.all(
    commands.map(async ([name, ...args], index) => {
      const [error, reply] = results?.[index] ?? [undefined];
      if (error === null) return reply;
      const redirected = error === undefined || /^(MOVED|ASK|TRYAGAIN)\b/.test(error.message);
      if (!redirected) throw error;
      return await cluster.call(name, ...args);
    }),
  );
}

/** For a while after slots have moved, the client assigns keys of one node to several. */
function noneIfRegrouped(error: unknown): undefined {
  if (error instanceof Error && error.message.includes("slots allocation group")) return;
  throw error;
}

async function send(redis: RedisClient, commands: Sent[]): Promise<unknown[]> {
  const results = await redis.pipeline(commands).exec();
  if (results === null) throw new Error("Connection is closed.");
  return results.map(([error, reply]) => {
    if (error !== null) throw error;
    return reply;
  });
}

/** Indexes of the commands, grouped by the node of the command's key. */
export function byNode(cluster: Cluster, commands: Sent[]): number[][] {
  const groups = new Map<string, number[]>();
  for (const [index, [, key]] of commands.entries()) {
    const slot = calculateSlot(key);
    // Includes replicas: the client refuses a pipeline for nodes with different replicas.
    const node = cluster.slots[slot]?.join(" ") ?? String(slot);
    const group = groups.get(node) ?? [];
    groups.set(node, group);
    group.push(index);
  }
  return [...groups.values()];
}
