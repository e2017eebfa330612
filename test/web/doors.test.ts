import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { routesOf } from "../support/world/routes.ts";
import { createWorld, type World } from "../support/world/world.ts";

const page = readFileSync(new URL("../../docs/doors.md", import.meta.url), "utf8");

describe("the routes of the site", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  it("docs/doors.md lists every route, and no other", () => {
    const told = [...page.matchAll(/^\| `((?:GET|POST|PUT|PATCH|DELETE) [^`]+)`/gm)].map(
      ([, door = ""]) => door,
    );
    const doors = routesOf(world.app).map(({ method, path }) => `${method.toUpperCase()} ${path}`);
    expect(doors.length).toBeGreaterThan(60);
    expect(told.toSorted()).toEqual(doors.toSorted());
  });
});
