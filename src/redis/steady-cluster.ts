import type { Cluster } from "ioredis";

/**
 * The same client, with a `connect()` that always settles. ioredis never settles it if the first node hangs:
 * the client tries again and connects, but callers that wait for the promise, such as BullMQ's workers, wait
 * for ever.
 */
export function steady(cluster: Cluster): Cluster {
  const connect = cluster.connect.bind(cluster);
  const duplicate = cluster.duplicate.bind(cluster);
  let outcome: Promise<void> | undefined;
  cluster.connect = async () => {
    outcome ??= outcomeOf(cluster).finally(() => {
      outcome = undefined;
    });
    await Promise.race([connect(), outcome]);
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
