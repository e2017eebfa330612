import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { getUserByName } from "../../../src/domain/users/store.ts";
import { endpoints } from "../../../src/web/api/endpoints.ts";
import { ApiClient } from "../../support/actors/api-client.ts";
import { operationPath } from "../../support/actors/api-operations.ts";
import { createWorld, type World } from "../../support/world/world.ts";

const own = [
  ["v1/announcements", "read:accounts"],
  ["v1/domain_blocks", "follow"],
  ["v1/endorsements", "read:accounts"],
  ["v1/featured_tags", "read:accounts"],
  ["v1/featured_tags/suggestions", "read:accounts"],
  ["v1/lists", "read:lists"],
  ["v1/notifications/requests", "read:notifications"],
] as const;

describe("unsupported features", () => {
  let world: World;
  let ann: ApiClient;
  let id = "";
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    await world.newcomer("ann");
    id = (await getUserByName(world.ctx, "ann")).id;
    ann = await ApiClient.of(world, "ann");
  });
  afterAll(() => world.close());

  it.each(["custom_emojis", "peers/search", "timelines/link", "trends/links", "trends/statuses"])(
    "an unsupported feature is empty: %s",
    async (door) => {
      for (const who of [ann, new ApiClient(world)])
        expect((await who.get(`/api/v1/${door}`).expect(200)).body).toEqual([]);
    },
  );

  it.each(own)("an unsupported private feature is empty for its owner: %s", async (door, scope) => {
    const path = `/api/${door}`;
    expect((await ann.get(path).expect(200)).body).toEqual([]);
    await (await ApiClient.of(world, "ann", scope)).get(path).expect(200);
    await (await ApiClient.of(world, "ann", "write")).get(path).expect(403);
    await new ApiClient(world).get(path).expect(401);
  });

  it("unsupported features of an account are empty", async () => {
    for (const list of ["lists", "featured_tags", "endorsements", "identity_proofs"]) {
      expect((await ann.get(`/api/v1/accounts/${id}/${list}`).expect(200)).body).toEqual([]);
      await ann.get(`/api/v1/accounts/999999/${list}`).expect(404);
    }
    const path = "/api/v1/accounts/familiar_followers";
    const { body } = await ann.get(`${path}?id[]=${id}&id[]=999999&id[]=x`).expect(200);
    expect(body).toEqual([{ id, accounts: [] }]);
    await new ApiClient(world).get(path).expect(401);
  });

  it("writes that Suzume does not support are refused with a sentence of their own", async () => {
    const refused = endpoints.filter(({ summary }) => summary === "Always refused (422)");
    const sentences = new Set<string>();
    for (const { method, path } of refused) {
      const send = (who: ApiClient) => who.send(method, operationPath({ path }, {}));
      const { body } = await send(ann).expect(422);
      expect(body.error).toMatch(/^Validation failed: .+\.$/);
      sentences.add(body.error as string);
      await send(new ApiClient(world)).expect(401);
    }
    expect(sentences.size).toBeGreaterThan(8);
  });

  it("all notifications are accepted, and nothing else can be chosen", async () => {
    const path = "/api/v1/notifications/policy";
    const summary = { pending_requests_count: 0, pending_notifications_count: 0 };
    const { body } = await ann.get(path).expect(200);
    expect(body).toMatchObject({ filter_not_following: false, summary });
    for (const method of ["put", "patch"] as const) {
      const { body: refusal } = await ann
        .send(method, path)
        .send({ filter_new_accounts: true })
        .expect(422);
      expect(Object.keys((refusal as { details: object }).details)).toEqual([
        "filter_new_accounts",
      ]);
      await ann.send(method, path).send({ filter_new_accounts: "0" }).expect(200);
    }
    const newer = "/api/v2/notifications/policy";
    expect((await ann.get(newer).expect(200)).body).toMatchObject({ for_new_accounts: "accept" });
    await ann.send("patch", newer).send({ for_new_accounts: "drop" }).expect(422);
    const merged = await ann.get("/api/v1/notifications/requests/merged").expect(200);
    expect(merged.body).toEqual({ merged: true });
  });

  it("there are no annual reports", async () => {
    const { body } = await ann.get("/api/v1/annual_reports").expect(200);
    expect(body).toEqual({ annual_reports: [], accounts: [], statuses: [] });
  });

  it("push subscriptions are not found, as clients expect", async () => {
    const path = "/api/v1/push/subscription";
    const pusher = await ApiClient.of(world, "ann", "push");
    expect((await pusher.get(path).expect(404)).body).toEqual({ error: "Record not found" });
    await ann.get(path).expect(403);
    await new ApiClient(world).get(path).expect(401);
  });
});
