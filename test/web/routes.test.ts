import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { endpoints } from "../../src/web/api/endpoints.ts";
import { operationName } from "../support/actors/api-operations.ts";
import { routesOf } from "../support/world/routes.ts";
import { createWorld, type World } from "../support/world/world.ts";

const page = readFileSync(new URL("../../docs/routes.md", import.meta.url), "utf8");

describe("the routes of the site", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  it("docs/routes.md lists every route beside the API, and no other", () => {
    const told = [...page.matchAll(/^\| `((?:GET|POST|PUT|PATCH|DELETE) [^`]+)`/gm)].map(
      ([, route = ""]) => route,
    );
    const ofApi = new Set(
      endpoints.map((one) => operationName(one).replaceAll(/\{(\w+)\}/g, ":$1")),
    );
    const routes = routesOf(world.app)
      .map(({ method, path }) => `${method.toUpperCase()} ${path}`)
      .filter((route) => !ofApi.has(route));
    expect(routes.length).toBeGreaterThan(60);
    expect(told.toSorted()).toEqual(routes.toSorted());
  });
});
