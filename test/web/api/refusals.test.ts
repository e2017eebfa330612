import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Endpoint } from "../../../src/web/api/endpoint.ts";
import { endpoints } from "../../../src/web/api/endpoints.ts";
import {
  callOperation,
  type OperationInput,
  operationName,
} from "../../support/actors/api-operations.ts";
import { TestApp } from "../../support/actors/test-app.ts";
import { createWorld, type World } from "../../support/world/world.ts";

describe("endpoints of the API", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  it("endpoints refuse bad tokens, unknown ids and wrong types, in JSON", async () => {
    const eve = await world.newcomer("eve");
    const scope = "read write follow push";
    const token = await (
      await TestApp.register(world, { scopes: scope })
    ).tokenFrom(eve, { scope });
    const wrong: unknown[] = [];
    const expectOf = async (
      one: Endpoint,
      about: string,
      status: number,
      asked: OperationInput,
    ) => {
      const answer = await callOperation(world.app, one, asked);
      const { error } = answer.body as { error?: unknown };
      if (answer.status !== status || typeof error !== "string")
        wrong.push([operationName(one), about, answer.status, answer.text.slice(0, 100)]);
    };
    for (const one of endpoints.filter(({ path }) => path.startsWith("/api/v"))) {
      const body = one.method === "get" ? {} : { body: {} };
      // Where no token is needed, an old one does no harm.
      if (one.access !== "anybody")
        await expectOf(one, "a bad token", 401, { token: "1.no-such-token", ...body });
      const unknown = { id: "999999999999999999999999" };
      const isRefused = one.summary === "Always refused (422)";
      if (one.path.includes("{id}") && !isRefused)
        await expectOf(one, "unknown", 404, { token, path: unknown, ...body });
      const { limit, offset } = one.query?.shape ?? {};
      for (const [name, field] of Object.entries({ limit, offset }))
        if (field !== undefined && !one.path.includes("{"))
          await expectOf(one, `a wrong ${name}`, 422, { token, query: { q: "a", [name]: "many" } });
    }
    expect(wrong).toEqual([]);
  });

  it("endpoints refuse requests without a token, or with another scope", async () => {
    const dora = await world.newcomer("dora");
    const app = await TestApp.register(world, { scopes: "push profile" });
    const token = await app.tokenFrom(dora, { scope: "push profile" });
    const statuses: unknown[] = [];
    for (const one of endpoints) {
      const { access } = one;
      if (access === "anybody" || /verify_credentials|userinfo/.test(one.path)) continue;
      const stranger = await callOperation(
        world.app,
        one,
        one.method === "get" ? {} : { body: {} },
      );
      const other = await callOperation(world.app, one, { token });
      const isOpen = typeof access === "object" && access.optional === true;
      if (typeof access === "object" && !access.scopes.includes("push") && other.status !== 403)
        statuses.push([operationName(one), "with a token for something else", other.status]);
      if (!isOpen && stranger.status !== 401)
        statuses.push([operationName(one), "without a token", stranger.status]);
      if (isOpen && [401, 403].includes(stranger.status))
        statuses.push([operationName(one), "is for anybody", stranger.status]);
      expect(other.type).toBe("application/json");
    }
    expect(statuses).toEqual([]);
  });
});
