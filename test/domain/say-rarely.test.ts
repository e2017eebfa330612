import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { sayRarely } from "../../src/domain/say-rarely.ts";
import { createWorld } from "../support/world/world.ts";

describe("rare log lines", () => {
  it("a rare log line tells how many of its kind were left out", async () => {
    const lines: { msg: string; unsaid?: number; nth: number }[] = [];
    const log = pino({}, { write: (line) => void lines.push(JSON.parse(line) as never) });
    const tell = (nth: number, text: string) =>
      sayRarely(log, "warn", { nth }, text, { pause: 300 });
    for (let nth = 0; nth < 100; nth += 1) tell(nth, "often");
    tell(0, "seldom");
    await new Promise((resolve) => setTimeout(resolve, 400));
    tell(100, "often");
    expect(lines.map(({ msg, nth, unsaid }) => [msg, nth, unsaid])).toEqual([
      ["often", 0, undefined],
      ["seldom", 0, undefined],
      ["often", 100, 99],
    ]);
  });

  it("a flood of refused requests is no flood of log lines (R24)", async () => {
    const world = await createWorld({}, { workers: false });
    const began = performance.now();
    for (let nth = 0; nth < 40; nth += 1)
      await world
        .visitor()
        .post("/login", { text: "x".repeat(120_000) })
        .expect(413);
    const seconds = (performance.now() - began) / 1000;
    const lines = world.logged.filter((line) => line.includes("request refused"));
    await world.close();
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.length).toBeLessThanOrEqual(Math.ceil(seconds) + 1);
  });
});
