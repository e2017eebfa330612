import { Redis, ReplyError } from "ioredis";
import { describe, expect, it } from "vitest";
import { isOutage } from "../../src/domain/outage.ts";

describe("an outage", () => {
  it.each([
    "OOM command not allowed when used memory > 'maxmemory'.",
    "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk.",
    "LOADING Redis is loading the dataset in memory",
    "CLUSTERDOWN The cluster is down",
    "READONLY You can't write against a read only replica.",
    "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
    "NOREPLICAS Not enough good replicas to write.",
    "BUSY Redis is busy running a script.",
    "Command timed out",
    "Connection is closed.",
    "Stream isn't writeable and enableOfflineQueue options is false",
    "connect ECONNREFUSED 127.0.0.1:6379",
    "connect ENOENT /tmp/redis.sock",
    "write EPIPE",
    "read ECONNRESET",
    "Failed to refresh slots cache.",
  ])("is told by %j", (message) => {
    expect(isOutage(new Error(message))).toBe(true);
  });

  it.each([
    "WRONGTYPE Operation against a key holding the wrong kind of value",
    "ERR min or max is not a float",
    'not an id: "OOM"',
    "Cannot read properties of undefined",
    "",
  ])("is not told by %j, which is a defect", (message) => {
    expect(isOutage(new Error(message))).toBe(false);
  });

  it.each([undefined, null, "OOM", { message: "OOM" }])("is no error like %j", (thrown) => {
    expect(isOutage(thrown)).toBe(false);
  });

  it("is told by what a transaction was refused for", () => {
    const abort = new Error("EXECABORT Transaction discarded because of previous errors.");
    const because = (message: string) =>
      Object.assign(new Error(abort.message), { previousErrors: [new ReplyError(message)] });
    expect(isOutage(because("OOM command not allowed when used memory > 'maxmemory'."))).toBe(true);
    expect(isOutage(because("ERR wrong number of arguments for 'hset' command"))).toBe(false);
  });

  it("is told by a client that cannot connect", async () => {
    const redis = new Redis({
      path: "/nowhere/redis.sock",
      retryStrategy: () => null,
      maxRetriesPerRequest: 0,
    });
    redis.on("error", () => {});
    const error: unknown = await redis.get("anything").catch((thrown: unknown) => thrown);
    expect(isOutage(error)).toBe(true);
    redis.disconnect();
  });
});
