import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import type { Storage } from "../../../../src/storage/storage.ts";
import { createWorld, type World } from "../../../support/world/world.ts";

describe("/readyz", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  it("writes into the folder of pictures once for many who ask at the same time", async () => {
    const check = vi.spyOn(world.ctx.storage as Storage, "check");
    // However long they take.
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const visitor = world.visitor();
    const answers = await Promise.all(Array.from({ length: 50 }, () => visitor.get("/readyz")));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 50 }, () => 200));
    expect(check).toHaveBeenCalledTimes(1);
  });
});
