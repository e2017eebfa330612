import { expect, it } from "vitest";
import { getUserByName } from "../../../src/domain/users/store.ts";
import { ApiClient } from "../../support/actors/api-client.ts";
import { createWorld } from "../../support/world/world.ts";

it("an id that JavaScript has rounded to a number finds its notification", async () => {
  const world = await createWorld({ baseUrl: "https://site.example" });
  for (const name of ["ann", "bob"]) await world.newcomer(name);
  const ann = await ApiClient.of(world, "ann");
  const bob = await ApiClient.of(world, "bob");
  const { id: annsId } = await getUserByName(world.ctx, "ann");
  await bob.post(`/api/v1/accounts/${annsId}/follow`).expect(200);
  for (const status of ["Hello @ann", "Again @ann"])
    await bob.post("/api/v1/statuses", { status }).expect(200);
  await world.delivered();
  const { body } = await ann.get("/api/v1/notifications").expect(200);
  const ids = (body as { id: string }[]).map(({ id }) => id);
  expect(ids).toHaveLength(3);
  for (const id of ids) {
    const rounded = String(BigInt(Number(id)));
    const { body: one } = await ann.get(`/api/v1/notifications/${rounded}`).expect(200);
    expect(one).toMatchObject({ id });
  }
  await world.close();
});
