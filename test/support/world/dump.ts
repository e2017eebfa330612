import type { Ctx } from "../../../src/context.ts";
import { exec } from "../../../src/redis/exec.ts";
import { keys } from "../../../src/redis/keys.ts";
import { findKeys } from "./redis-nodes.ts";

/** When tweets were listed for search, and how long deliveries took. */
const times = new Set<string>([keys.unsealed, keys.deliveryTimes]);
const isCompared = (name: string) => !name.startsWith(keys.queuePrefix) && !times.has(name);

/** All stored data in comparable form, without TTLs, the keys of the job queues, and what depends on the moment. */
export async function dump(ctx: Ctx): Promise<Map<string, unknown>> {
  const all = await findKeys(ctx.redis, "*");
  const names = all.filter(isCompared).toSorted();
  const types = await exec(
    ctx.redis,
    names.map((name) => ["type", name]),
  );
  const values = await exec(
    ctx.redis,
    names.map((name, index) => {
      // Reading a HyperLogLog caches its count in it.
      if (name.startsWith("{stats}:")) return ["pfcount", name];
      if (types[index] === "string") return ["get", name];
      if (types[index] === "hash") return ["hgetall", name];
      if (types[index] === "stream") return ["xrange", name, "-", "+"];
      if (types[index] === "zset") return ["zrange", name, 0, -1, "WITHSCORES"];
      throw new Error(`${name} is a ${String(types[index])}`);
    }),
  );
  return new Map(names.map((name, index) => [name, values[index]]));
}
