import { afterEach, describe, expect, it } from "vitest";
import { createWorld, type World } from "../../support/world/world.ts";

const worlds: World[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

async function warnings(trustProxy: false | number | undefined, headers: string[]) {
  const world = await createWorld({ trustProxy }, { workers: false });
  worlds.push(world);
  for (const value of headers)
    await world.visitor().get("/healthz").set("X-Forwarded-For", value).expect(200);
  return world.logged.filter((line) => line.includes("TRUST_PROXY is not set"));
}

describe("X-Forwarded-For while TRUST_PROXY is not set", () => {
  it("X-Forwarded-For without TRUST_PROXY is logged, once for many requests", async () => {
    const [line, ...more] = await warnings(undefined, ["192.0.2.1", "192.0.2.2", "192.0.2.3"]);
    expect(JSON.parse(line ?? "{}")).toMatchObject({ level: 50 });
    expect(line).toContain("Set TRUST_PROXY to the number of proxies");
    expect(more).toEqual([]);
  });

  it("X-Forwarded-For with TRUST_PROXY is not logged", async () => {
    expect(await warnings(1, ["192.0.2.1"])).toEqual([]);
    expect(await warnings(false, ["192.0.2.1"])).toEqual([]);
    expect(await warnings(undefined, [])).toEqual([]);
  });
});
