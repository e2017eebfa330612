import { describe, expect, it } from "vitest";
import { TooMany } from "../../src/domain/errors.ts";
import { limitConcurrency } from "../../src/domain/concurrency-limit.ts";

const limits = { what: "tests", slots: 1, queueLimit: 100, clientLimit: 20, retryAfter: 7 };
const pause = () => new Promise((resolve) => setTimeout(resolve, 1));

describe("a fair concurrency limit", () => {
  it("a client with little work does not wait for a client with much", async () => {
    const inSlot = limitConcurrency(limits);
    const order: string[] = [];
    const ask = (queue: string, client: string) =>
      inSlot(
        async () => {
          order.push(`${queue} ${client}`);
          await pause();
        },
        { queue, client },
      );
    const flood = Array.from({ length: 20 }, () => ask("check", "flood"));
    const signUps = Array.from({ length: 20 }, () => ask("hash", "flood"));
    await Promise.all([...flood, ...signUps, ask("check", "owner"), ask("check", "other")]);
    // The first was under way; then queues take turns, and in theirs the owner is second.
    expect(order.indexOf("check owner")).toBeLessThanOrEqual(4);
    expect(order.indexOf("check other")).toBeLessThanOrEqual(6);
    expect(order).toHaveLength(42);
  });

  it("a full queue admits a new client and drops work of the client with the most", async () => {
    const inSlot = limitConcurrency({ ...limits, queueLimit: 20 });
    const flood = Array.from({ length: 21 }, () =>
      inSlot(pause, { queue: "check", client: "flood" }),
    );
    const others = ["owner", "other"].map((from) =>
      inSlot(pause, { queue: "check", client: from }),
    );
    const results = await Promise.allSettled([...flood, ...others]);
    const statuses = results.map((one) => one.status);
    expect(statuses.slice(-2)).toEqual(["fulfilled", "fulfilled"]);
    expect(statuses.filter((status) => status === "rejected")).toHaveLength(2);
  });

  it("only the client with too much waiting work is refused", async () => {
    const inSlot = limitConcurrency(limits);
    const results = await Promise.allSettled([
      ...Array.from({ length: 40 }, () => inSlot(pause, { queue: "hash", client: "flood" })),
      inSlot(pause, { queue: "hash", client: "other" }),
      inSlot(pause, { queue: "check", client: "flood" }),
    ]);
    const refused = results.filter((one) => one.status === "rejected");
    expect(refused).toHaveLength(19);
    for (const { reason } of refused) expect(reason).toBeInstanceOf(TooMany);
    expect(results.slice(-2).map((one) => one.status)).toEqual(["fulfilled", "fulfilled"]);
  });
});
