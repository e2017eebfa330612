import { Redis, ReplyError } from "ioredis";
import { describe, expect, it } from "vitest";
import { parseConfig } from "../../src/config.ts";
import { isOutage } from "../../src/domain/outage.ts";
import { connect, waitUntilReady } from "../../src/redis/client.ts";
import { startCluster } from "../support/world/cluster.ts";

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
    "None of startup nodes is available",
    "Cluster isn't ready and enableOfflineQueue options is false",
    "Too many Cluster redirections. Last error: Error: Connection is closed.",
    "Cluster is disconnected.",
    "Cluster is disconnecting.",
    "Cluster is ended.",
    "Connection is aborted",
    "Connection is discarded because a new connection is made",
    "Command aborted due to connection close",
    "Node is disconnected",
    "All keys in the pipeline should belong to the same slots allocation group",
    "Socket timeout. Expecting data, but didn't receive any in 2500ms.",
    'Reached the max retries per request limit (which is 0). Refer to "maxRetriesPerRequest" option for details.',
    "connect ETIMEDOUT",
    "connect EHOSTUNREACH 10.0.0.1:6379",
    "getaddrinfo ENOTFOUND redis.example",
    "getaddrinfo EAI_AGAIN redis.example",
    "MOVED 3999 127.0.0.1:6381",
    "ASK 3999 127.0.0.1:6381",
    "NOAUTH Authentication required.",
    "WRONGPASS invalid username-password pair or user is disabled.",
    "NOPERM User default has no permissions to run the 'get' command",
    "ERR max number of clients reached",
  ])("%j is an outage", (message) => {
    expect(isOutage(new Error(message))).toBe(true);
  });

  it.each([
    "WRONGTYPE Operation against a key holding the wrong kind of value",
    "ERR min or max is not a float",
    'not an id: "OOM"',
    "Cannot read properties of undefined",
    "",
  ])("%j is a defect, not an outage", (message) => {
    expect(isOutage(new Error(message))).toBe(false);
  });

  it.each([undefined, null, "OOM", { message: "OOM" }])("%j is no outage", (thrown) => {
    expect(isOutage(thrown)).toBe(false);
  });

  it("a refused transaction is an outage by the cause of the refusal", () => {
    const abort = new Error("EXECABORT Transaction discarded because of previous errors.");
    const because = (message: string) =>
      Object.assign(new Error(abort.message), { previousErrors: [new ReplyError(message)] });
    expect(isOutage(because("OOM command not allowed when used memory > 'maxmemory'."))).toBe(true);
    expect(isOutage(because("ERR wrong number of arguments for 'hset' command"))).toBe(false);
  });

  it("a cluster with an unserved slot is an outage", async () => {
    const cluster = await startCluster();
    for (const { client } of cluster.nodes) {
      await client.config("SET", "cluster-require-full-coverage", "no");
      await client.call("CLUSTER", "DELSLOTSRANGE", 8000, 16_383);
    }
    const client = connect({ urls: cluster.urls }, "web", parseConfig({}), () => {});
    await waitUntilReady(client, 10_000);
    const errors: unknown[] = [];
    for (let key = 0; key < 12; key += 1)
      await (async () => client.get(`key:${key}`))().catch((error: unknown) => errors.push(error));
    client.disconnect();
    await cluster.stop();
    expect(errors.length).toBeGreaterThan(0);
    expect(errors.filter((error) => !isOutage(error))).toEqual([]);
  });

  it("a client that cannot connect is an outage", async () => {
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
