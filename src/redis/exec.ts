import calculateSlot from "cluster-key-slot";
import { Cluster } from "ioredis";
import type { RedisClient } from "../context.ts";

/** One command: its name, its (first) key, the rest. */
export type Command = [name: string, key: string, ...rest: (string | number)[]];

/**
 * Sends many commands in one go and resolves to their replies in order. Throws the first failed
 * reply: inside a bare ioredis pipeline it would pass unnoticed. On a cluster the commands go to
 * each node in a pipeline of its own, all nodes at once; nothing is atomic across commands.
 */
export async function exec(redis: RedisClient, commands: Command[]): Promise<unknown[]> {
  if (commands.length === 0) return [];
  if (!(redis instanceof Cluster)) return await send(redis, commands);
  const replies: unknown[] = Array.from({ length: commands.length });
  const groups = byNode(redis, commands);
  await Promise.all(
    groups.map(async (indexes) => {
      const part = indexes.map((index) => commands[index] as Command);
      const answers = await send(redis, part);
      for (const [nth, index] of indexes.entries()) replies[index] = answers[nth];
    }),
  );
  return replies;
}

async function send(redis: RedisClient, commands: Command[]): Promise<unknown[]> {
  const results = await redis.pipeline(commands).exec();
  if (results === null) throw new Error("Connection is closed.");
  return results.map(([error, reply]) => {
    if (error !== null) throw error;
    return reply;
  });
}

/** Indexes of the commands, grouped by the node that serves the command's key. */
export function byNode(cluster: Cluster, commands: Command[]): number[][] {
  const groups = new Map<string, number[]>();
  for (const [index, [, key]] of commands.entries()) {
    const node = nodeOf(cluster, key);
    const group = groups.get(node);
    if (group === undefined) groups.set(node, [index]);
    else group.push(index);
  }
  return [...groups.values()];
}

function nodeOf(cluster: Cluster, key: string): string {
  const slot = calculateSlot(key);
  return cluster.slots[slot]?.[0] ?? String(slot);
}
