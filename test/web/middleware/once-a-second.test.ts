import { describe, expect, it } from "vitest";
import { onceASecond } from "../../../src/web/middleware/once-a-second.ts";
import { createWorld } from "../../support/world.ts";

describe("what is said once a second", () => {
  it("tells how much of its kind was left unsaid meanwhile", () => {
    let clock = 0;
    const said: [string, number][] = [];
    const say = onceASecond(() => clock);
    const tell = (kind: string) => say(kind, (unsaid) => void said.push([kind, unsaid]));
    for (let nth = 0; nth < 250; nth += 1) {
      clock += 10;
      tell("often");
    }
    tell("seldom");
    expect(said).toEqual([
      ["often", 0],
      ["often", 99],
      ["often", 99],
      ["seldom", 0],
    ]);
  });

  it("is that requests are refused: a flood of them is none of log lines (R24)", async () => {
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
