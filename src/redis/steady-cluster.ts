import type { Cluster } from "ioredis";

/**
 * The same client, but what its `connect()` promises comes about. With ioredis alone the promise is
 * forgotten where the first node that is asked hangs: the client tries again and gets well, and who
 * waits for the promise, as BullMQ's workers do, waits for ever.
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

/** Of this attempt and those that follow it. */
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
