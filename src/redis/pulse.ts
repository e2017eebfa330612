import { randomUUID } from "node:crypto";
import { Cluster, type Redis } from "ioredis";
import type { RedisClient } from "./redis-client.ts";

const everyMilliseconds = 1000;

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
  const timer = setInterval(beat, everyMilliseconds).unref();
  return () => clearInterval(timer);
}

async function checkNode(node: Redis, onOutOfStep: (address: string) => void): Promise<void> {
  const word = randomUUID();
  const answer = await node.echo(word).catch(() => word);
  if (answer === word) return;
  const { path, host, port } = node.options;
  onOutOfStep(path ?? `${host}:${port}`);
  node.stream.destroy();
}
