import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseConfig } from "../../src/config.ts";
import type { RedisClient } from "../../src/redis/redis-client.ts";
import { connect, waitUntilReady } from "../../src/redis/client.ts";
import { keepPulse } from "../../src/redis/guard.ts";
import { type FaultyNetwork, faultyNetwork } from "../support/world/faulty-network.ts";
import { testSocket } from "../support/world/test-redis.ts";

describe("a connection to Redis", () => {
  let network: FaultyNetwork;
  let client: RedisClient;
  const told: string[] = [];
  let stop: (() => void) | undefined;
  beforeAll(async () => {
    network = await faultyNetwork({ path: testSocket() });
    const urls = [`redis://127.0.0.1:${network.port}`];
    client = connect({ urls }, "queue", parseConfig({}), () => {});
    await waitUntilReady(client, 2000);
    stop = keepPulse([client], (place) => void told.push(place));
  });
  afterAll(async () => {
    stop?.();
    client.disconnect();
    await network.close();
  });

  /** Of commands that follow each other closely, whether each was given its own reply. */
  async function repliesFor(milliseconds: number): Promise<boolean[]> {
    const asked: Promise<boolean | undefined>[] = [];
    const end = performance.now() + milliseconds;
    for (let nth = 0; performance.now() < end; nth += 1) {
      const word = `word ${nth}`;
      // An outage while the connection is opened anew is no wrong reply.
      const reply = client.echo(word).then(
        (answer) => answer === word,
        () => undefined,
      );
      asked.push(reply);
      await sleep(5);
    }
    return (await Promise.all(asked)).filter((right) => right !== undefined);
  }

  it("a connection whose replies are out of step is opened anew", async () => {
    // So that there is always a command that waits for its reply.
    network.delay(30);
    expect(await repliesFor(200)).not.toContain(false);
    const during = repliesFor(3000);
    await sleep(100);
    network.inject("+OK\r\n");
    expect(await during).toContain(false);
    expect(await repliesFor(500)).not.toContain(false);
    expect(told).toEqual([`127.0.0.1:${network.port}`]);
  });
});
