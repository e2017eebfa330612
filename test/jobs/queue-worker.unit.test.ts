import { getEventListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { withinLimits } from "../../src/jobs/queue-worker.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

describe("the limits of jobs", () => {
  it("ended jobs leave nothing behind that waits for the worker to close", async () => {
    const { signal } = new AbortController();
    const bounds = { silence: 60_000, closing: signal, excused: () => false };
    const ends: (() => void)[] = [];
    const works = Array.from({ length: 3 }, () =>
      withinLimits(bounds, () => new Promise((resolve) => ends.push(resolve))),
    );
    expect(getEventListeners(signal, "abort")).toHaveLength(3);
    await sleep(10);
    collectGarbage();
    for (const end of ends) end();
    await Promise.all(works);
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });
});
