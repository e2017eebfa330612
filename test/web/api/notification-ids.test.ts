import { expect, it } from "vitest";
import { addNotification } from "../../../src/domain/notifications/store.ts";
import { getUserByName } from "../../../src/domain/users/store.ts";
import { ApiClient } from "../../support/actors/api-client.ts";
import { readByLinks } from "../../support/actors/api-pages.ts";
import { newPeople } from "../../support/actors/people.ts";
import { createWorld } from "../../support/world/world.ts";

interface Told {
  id: string;
}

const path = "/api/v1/notifications";

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
  const ids = (body as Told[]).map(({ id }) => id);
  expect(ids).toHaveLength(3);
  for (const id of ids) {
    const rounded = String(BigInt(Number(id)));
    const { body: one } = await ann.get(`/api/v1/notifications/${rounded}`).expect(200);
    expect(one).toMatchObject({ id });
  }
  await world.close();
});

it("API notifications of one moment are in order, never more than the limit, and none is lost between pages", async () => {
  const world = await createWorld({ baseUrl: "https://site.example" });
  await world.newcomer("popular");
  const { id: to } = await getUserByName(world.ctx, "popular");
  const popular = await ApiClient.of(world, "popular");
  const stamp = world.ctx.now() * 1000;
  // Every 60th actor has the same digits in ids of notifications.
  const people = await newPeople(world.ctx, 66);
  const actors = [...people.slice(0, 6), ...people.slice(60)];
  for (const actor of actors)
    await addNotification(world.ctx, to, { kind: "follow", actor, stamp });
  const idsOf = (list: Told[]) => list.map(({ id }) => id);
  const newestFirst = idsOf((await popular.get(path)).body as Told[]);
  expect(new Set(newestFirst).size).toBe(12);
  expect(newestFirst).toEqual(newestFirst.toSorted().toReversed());

  for (const limit of [1, 5, 12]) {
    const down = await readByLinks<Told>(popular, `${path}?limit=${limit}`);
    const up = await readByLinks<Told>(popular, `${path}?limit=${limit}&min_id=0`, "prev");
    for (const pages of [down, up.toReversed()]) {
      expect(pages.flatMap(idsOf)).toEqual(newestFirst);
      for (const page of pages) expect(page.length).toBeLessThanOrEqual(limit);
    }
  }
  const [newest, fifth, seventh] = [newestFirst[0], newestFirst[4], newestFirst[6]];
  const pageOf = async (query: string) =>
    idsOf((await popular.get(`${path}?limit=3&${query}`).expect(200)).body as Told[]);
  expect(await pageOf(`max_id=${fifth}`)).toEqual(newestFirst.slice(5, 8));
  expect(await pageOf(`min_id=${seventh}`)).toEqual(newestFirst.slice(3, 6));
  expect(await pageOf(`since_id=${seventh}`)).toEqual(newestFirst.slice(0, 3));
  expect(await pageOf(`since_id=${newest}`)).toEqual([]);
  const alone = "/api/v2/notifications?limit=5&grouped_types[]=reblog";
  const { body } = await popular.get(alone).expect(200);
  expect(body.notification_groups).toHaveLength(5);
  await world.close();
});
