import { Cluster } from "ioredis";
import type { RedisClient } from "./redis-client.ts";

const everyMilliseconds = 1000;

/**
 * Asks every connection for a sign of life once a second. One that went silent is otherwise found out by who needs
 * it, who then waits for its timeout; and of two connections one after the other. Clients may join the list
 * later. Returns how to stop.
 */
export function keepPulse(clients: readonly RedisClient[]): () => void {
  const beat = () => {
    const nodes = clients.flatMap((one) => (one instanceof Cluster ? one.nodes("all") : [one]));
    for (const node of nodes) if (node.status === "ready") node.ping().catch(() => {});
  };
  const timer = setInterval(beat, everyMilliseconds).unref();
  return () => clearInterval(timer);
}
