import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ApiVisitor } from "../../support/api-visitor.ts";
import { createWorld, type World } from "../../support/world.ts";

describe("timelines of the API", () => {
  let world: World;
  let alice: ApiVisitor;
  const anybody = () => new ApiVisitor(world);
  beforeAll(async () => {
    world = await createWorld();
    const page = await world.newcomer("alice");
    await page.tweet("first @alice #Birds https://example.org/a?b=1&c=2\nnext line\n\nnext <p>");
    alice = await ApiVisitor.of(world, "alice");
    await world.delivered();
  });
  afterAll(() => world.close());

  it("tell everything about a status", async () => {
    const { body } = await alice.get("/api/v1/timelines/home").expect(200);
    expect(body).toHaveLength(1);
    const { body: same } = await anybody().get(`/api/v1/statuses/${body[0].id}`).expect(200);
    expect(same.id).toBe(body[0].id);
  });
});
