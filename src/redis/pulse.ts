import { randomUUID } from "node:crypto";
import { Cluster, type Redis } from "ioredis";
import type { RedisClient } from "./redis-client.ts";

const everyMilliseconds = 1000;

/**
 * Has every connection echo a word once a second. One that went silent is otherwise found out by who needs it, who
 * then waits for its timeout; and of two connections one after the other. One that answers anything else is out of
 * step, gives each command the reply to another one, and is ended at once: `onOutOfStep` is told its node. Clients
 * may join the list later. Returns how to stop.
 */
export function keepPulse(
  clients: readonly RedisClient[],
  onOutOfStep: (place: string) => void,
): () => void {
  const beat = () => {
    const nodes = clients.flatMap((one) => (one instanceof Cluster ? one.nodes("all") : [one]));
    for (const node of nodes) if (node.status === "ready") void feel(node, onOutOfStep);
  };
  const timer = setInterval(beat, everyMilliseconds).unref();
  return () => clearInterval(timer);
}

async function feel(node: Redis, onOutOfStep: (place: string) => void): Promise<void> {
  const word = randomUUID();
  const answer = await node.echo(word).catch(() => word);
  if (answer === word) return;
  const { path, host, port } = node.options;
  onOutOfStep(path ?? `${host}:${port}`);
  node.stream.destroy();
}
