import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ApiClient } from "../../support/actors/api-client.ts";
import { linksOf } from "../../support/actors/api-pages.ts";
import { createWorld, type World } from "../../support/world/world.ts";

interface Group {
  group_key: string;
  type: string;
  notifications_count: number;
  page_max_id: string;
  page_min_id: string;
  sample_account_ids: string[];
  status_id?: string;
}
interface Results {
  accounts: { id: string; acct: string }[];
  statuses: { id: string }[];
  notification_groups: Group[];
}

const path = "/api/v2/notifications";

const told = ({ notification_groups: groups }: Results) =>
  groups.map(({ type, notifications_count: count }) => `${type} ${count}`);

describe("grouped notifications in the API", () => {
  let world: World;
  let ann: ApiClient;
  let others: ApiClient[];
  beforeAll(async () => {
    world = await createWorld();
    for (const name of ["ann", "bob", "cat", "dan"]) await world.newcomer(name);
    ann = await ApiClient.of(world, "ann");
    others = [];
    for (const name of ["bob", "cat", "dan"]) others.push(await ApiClient.of(world, name));
    const said = await ann.post("/api/v1/statuses", { status: "hello" }).expect(200);
    const { id, account } = said.body as { id: string; account: { id: string } };
    for (const one of others) {
      await one.post(`/api/v1/statuses/${id}/favourite`).expect(200);
      await one.post(`/api/v1/accounts/${account.id}/follow`).expect(200);
    }
    const answer = { status: "@ann hi", in_reply_to_id: id };
    await others[0]?.post("/api/v1/statuses", answer).expect(200);
    await world.delivered();
  });
  afterAll(() => world.close());

  const read = async (query = "") => (await ann.get(`${path}${query}`).expect(200)).body as Results;
  it("clients that go on from page_min_id miss no group, though groups overlap in time", async () => {
    const { notification_groups: groups } = await read("?limit=2");
    const next = await read(`?limit=2&max_id=${groups.at(-1)?.page_min_id}`);
    expect([groups.map(({ type }) => type), told(next)]).toEqual([
      ["mention", "follow"],
      ["favourite 3"],
    ]);
  });

  it("likes of a status and follows of a day are groups; accounts and statuses are told once", async () => {
    const results = await read();
    expect(told(results)).toEqual(["mention 1", "follow 3", "favourite 3"]);
    const [mention, follows, likes] = results.notification_groups;
    expect(results.accounts.map(({ acct }) => acct).toSorted()).toEqual(["bob", "cat", "dan"]);
    expect(likes?.sample_account_ids).toEqual(follows?.sample_account_ids);
    expect(new Set(results.statuses.map(({ id }) => id))).toEqual(
      new Set([mention?.status_id, likes?.status_id]),
    );
    expect(results.statuses).toHaveLength(2);
    const { body: single } = await ann.get("/api/v1/notifications").expect(200);
    const newest = (single as { id: string; group_key: string }[])[0];
    expect(newest).toMatchObject({ id: mention?.page_max_id, group_key: mention?.group_key });
    expect(mention?.group_key).toBe(`ungrouped-${newest?.id}`);
  });

  it("groups are filtered, counted and paged, also upwards", async () => {
    expect(told(await read("?types[]=follow"))).toEqual(["follow 3"]);
    expect(told(await read("?exclude_types[]=follow"))).toEqual(["mention 1", "favourite 3"]);
    expect(told(await read("?grouped_types[]=follow&types[]=favourite"))).toEqual([
      "favourite 1",
      "favourite 1",
      "favourite 1",
    ]);
    const first = await ann.get(`${path}?limit=1`).expect(200);
    expect(told(first.body as Results)).toEqual(["mention 1"]);
    const second = await ann.get(linksOf(first).next ?? "").expect(200);
    expect(told(second.body as Results)).toEqual(["follow 3"]);
    expect(told((await ann.get(linksOf(second).prev ?? "")).body as Results)).toEqual([
      "mention 1",
    ]);
  });

  it("a group is read and dismissed by its key, by its user only", async () => {
    const [mention, follows] = (await read()).notification_groups;
    for (const group of [mention, follows]) {
      const one = (await ann.get(`${path}/${group?.group_key}`).expect(200)).body as Results;
      // Alone it is the last of its page.
      expect(one.notification_groups).toEqual([{ ...group, page_min_id: group?.page_max_id }]);
    }
    const { body } = await ann.get(`${path}/${follows?.group_key}/accounts`).expect(200);
    expect((body as { acct: string }[]).map(({ acct }) => acct)).toEqual(["dan", "cat", "bob"]);
    await others[0]?.get(`${path}/${follows?.group_key}`).expect(404);
    for (const key of ["x", "ungrouped-1", "follow-"]) {
      await ann.get(`${path}/${key}`).expect(404);
      await ann.post(`${path}/${key}/dismiss`).expect(404);
    }
    await ann.post(`${path}/${follows?.group_key}/dismiss`).expect(200);
    expect(told(await read())).toEqual(["mention 1", "favourite 3"]);
    await ann.post(`${path}/${mention?.group_key}/dismiss`).expect(200);
    expect(told(await read())).toEqual(["favourite 3"]);
  });

  it("the policy accepts all notifications, and another one is refused", async () => {
    const { body } = await ann.get(`${path}/policy`).expect(200);
    expect(body).toMatchObject({ for_not_following: "accept", for_new_accounts: "accept" });
    const patch = (wish: object) => ann.send("patch", `${path}/policy`).send(wish);
    expect((await patch({ for_not_following: "accept" }).expect(200)).body).toEqual(body);
    const refused = await patch({ for_not_followers: "filter" }).expect(422);
    expect(refused.body.error).toContain("Notifications of all people are accepted here.");
  });

  const seen = async () => {
    const { body } = await ann.get(`${path}/unread_count`).expect(200);
    return [body.count as number, told(await read()).length];
  };
  it("a message counts among the unread groups, as it is listed among them", async () => {
    const [count = 0, length = 0] = await seen();
    const message = { status: "@ann in private", visibility: "direct" };
    await others[1]?.post("/api/v1/statuses", message).expect(200);
    await world.delivered();
    expect(await seen()).toEqual([count + 1, length + 1]);
  });
});
