import type { RedisClient } from "../../src/redis/redis-client.ts";

/** Seconds that the commands of a server took of a processor: other work on the machine does not count. */
export async function processorTime(server: RedisClient): Promise<number> {
  const info = await server.info("cpu");
  const seconds = (part: string) =>
    Number(new RegExp(`^used_cpu_${part}_main_thread:([\\d.]+)`, "m").exec(info)?.[1]);
  return seconds("user") + seconds("sys");
}
