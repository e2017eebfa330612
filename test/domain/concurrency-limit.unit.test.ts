import { describe, expect, it } from "vitest";
import { TooMany } from "../../src/domain/errors.ts";
import { limitConcurrency } from "../../src/domain/concurrency-limit.ts";

const limits = { what: "tests", slots: 2, queueLimit: 3, retryAfter: 7 };
const pause = () => new Promise((resolve) => setTimeout(resolve, 1));

describe("a concurrency limit", () => {
  it("a concurrency limit runs a number at once, queues the others in order, and refuses the rest", async () => {
    const inTurn = limitConcurrency(limits);
    const order: number[] = [];
    let running = 0;
    let most = 0;
    const results = await Promise.allSettled(
      [0, 1, 2, 3, 4, 5, 6].map((nth) =>
        inTurn(async () => {
          order.push(nth);
          most = Math.max(most, (running += 1));
          await pause();
          running -= 1;
          return nth;
        }),
      ),
    );
    expect([order, most]).toEqual([[0, 1, 2, 3, 4], 2]);
    const reasons = results.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
    expect(reasons).toHaveLength(2);
    for (const reason of reasons) expect(reason).toBeInstanceOf(TooMany);
    expect(reasons).toMatchObject([{ retryAfter: 7 }, { retryAfter: 7 }]);
  });

  it("a concurrency limit continues after work that fails", async () => {
    const inTurn = limitConcurrency({ ...limits, slots: 1 });
    const fail = () => inTurn(async () => Promise.reject(new Error("no")));
    const results = await Promise.allSettled([fail(), fail(), inTurn(async () => "done")]);
    expect(results.map((one) => one.status)).toEqual(["rejected", "rejected", "fulfilled"]);
    expect(await inTurn(async () => "again")).toBe("again");
  });
});
