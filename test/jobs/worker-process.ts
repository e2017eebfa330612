import { pino } from "pino";
import type { Config } from "../../src/config.ts";
import { createQueues } from "../../src/jobs/queue.ts";
import { startWorkers } from "../../src/jobs/workers.ts";
import { type Address, connect } from "../../src/redis/client.ts";
import { startMemory } from "../../src/redis/memory.ts";
import { slowProcess } from "../support/world/ending-process.ts";

/** A worker process to be killed: `node --import tsx worker-process.ts ADDRESS CONFIG`, both in JSON. */
const [address, config] = process.argv.slice(2).map((text) => JSON.parse(text) as unknown) as [
  Address,
  Config,
];
const open = () => connect(address, "worker", config, () => {});
const jobs = createQueues(open(), () => {});
const redis = open();
const memory = startMemory(redis, { bytes: config.memoryBytes });
const storage = undefined;
const ctx = { redis, memory, storage, jobs, log: pino(), now: Date.now, config };
// Slow, so that it is killed in the middle of its work.
startWorkers(slowProcess(ctx, 100), open());
