import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { keys } from "../../../src/redis/keys.ts";
import { getUserByName } from "../../../src/domain/users/store.ts";
import { ApiClient } from "../../support/actors/api-client.ts";
import { createWorld, type World } from "../../support/world/world.ts";

interface Posted {
  id: string;
  visibility: string;
  in_reply_to_id: string | null;
  in_reply_to_account_id: string | null;
  quote_approval: { current_user: string };
}

const post = async (by: ApiClient, fields: object) =>
  (await by.post("/api/v1/statuses", fields).expect(200)).body as Posted;

const read = async (by: ApiClient, id: string) =>
  (await by.get(`/api/v1/statuses/${id}`)).body as Posted;

describe("the visibility of statuses", () => {
  let world: World;
  let ann: ApiClient;
  let bob: ApiClient;
  let eve: ApiClient;
  beforeAll(async () => {
    world = await createWorld({ baseUrl: "https://birds.example" });
    for (const name of ["ann", "bob", "eve"]) await world.newcomer(name);
    ann = await ApiClient.of(world, "ann");
    bob = await ApiClient.of(world, "bob");
    eve = await ApiClient.of(world, "eve");
    const { id } = await getUserByName(world.ctx, "ann");
    await bob.post(`/api/v1/accounts/${id}/follow`).expect(200);
  });
  afterAll(() => world.close());

  it.each([
    ["public", 200, 200],
    ["unlisted", 200, 200],
    ["private", 200, 404],
    ["direct", 404, 404],
  ])(
    "a status is posted and read with its visibility: %s",
    async (visibility, follower, stranger) => {
      const posted = await post(ann, { status: `for ${visibility}`, visibility });
      expect(posted.visibility).toBe(visibility);
      const open = ["public", "unlisted"].includes(visibility);
      expect(posted.quote_approval.current_user).toBe(open ? "automatic" : "denied");
      await bob.get(`/api/v1/statuses/${posted.id}`).expect(follower);
      await eve.get(`/api/v1/statuses/${posted.id}`).expect(stranger);
      await new ApiClient(world).get(`/api/v1/statuses/${posted.id}`).expect(stranger);
    },
  );

  it("a direct status is for those that it mentions", async () => {
    const { id } = await post(ann, { status: "@eve a word", visibility: "direct" });
    expect((await read(eve, id)).visibility).toBe("direct");
    await bob.get(`/api/v1/statuses/${id}`).expect(404);
  });

  it("a direct status without a name is a note, and one to names that nobody has is refused", async () => {
    const note = await post(ann, { status: "buy milk", visibility: "direct" });
    expect((await read(ann, note.id)).visibility).toBe("direct");
    const lost = { status: "@nobody_here psst", visibility: "direct" };
    const { body } = await ann.post("/api/v1/statuses", lost).expect(422);
    expect((body as { error: string }).error).toContain("Nobody here has that name");
    const later = new Date(world.ctx.now() + 3_600_000).toISOString();
    await ann.post("/api/v1/statuses", { ...lost, scheduled_at: later }).expect(422);
  });

  it("an answer in a conversation with a limit above is refused", async () => {
    const { id: user } = await getUserByName(world.ctx, "ann");
    await world.ctx.redis.hset(keys.user(user), "replies_from", "mentioned");
    const { id } = await post(ann, { status: "@bob what do you think?" });
    await world.ctx.redis.hdel(keys.user(user), "replies_from");
    const reply = await post(bob, { status: "@eve look", in_reply_to_id: id });
    const answer = { status: "may I?", in_reply_to_id: reply.id };
    const { body } = await eve.post("/api/v1/statuses", answer).expect(422);
    expect((body as { error: string }).error).toContain("Not everyone may reply");
    await post(ann, answer);
  });

  it("an unknown visibility is refused, and a missing one is what the user has set", async () => {
    await ann.post("/api/v1/statuses", { status: "?", visibility: "secret" }).expect(422);
    const { id } = await getUserByName(world.ctx, "ann");
    await world.ctx.redis.hset(keys.user(id), "audience", "followers");
    expect((await post(ann, { status: "by default" })).visibility).toBe("private");
    await world.ctx.redis.hdel(keys.user(id), "audience");
    expect((await post(ann, { status: "as ever" })).visibility).toBe("public");
  });

  it("a reply gets at most the visibility of what it answers, and names no hidden status", async () => {
    const { id } = await post(ann, { status: "narrow", visibility: "private" });
    const reply = await post(bob, { status: "wide", visibility: "public", in_reply_to_id: id });
    expect([reply.visibility, reply.in_reply_to_id]).toEqual(["private", id]);
    const { id: follower } = await getUserByName(world.ctx, "bob");
    await eve.post(`/api/v1/accounts/${follower}/follow`).expect(200);
    const seen = await read(eve, reply.id);
    expect([seen.in_reply_to_id, seen.in_reply_to_account_id]).toEqual([null, null]);
    const { body } = await eve.get(`/api/v1/statuses/${reply.id}/context`).expect(200);
    expect((body as { ancestors: unknown[] }).ancestors).toEqual([]);
  });

  it("an edit keeps the visibility, may narrow it, and never widens it", async () => {
    const { id } = await post(ann, { status: "mine", visibility: "unlisted" });
    const edit = (fields: object) => ann.send("put", `/api/v1/statuses/${id}`).send(fields);
    const kept = (await edit({ status: "mine too" }).expect(200)).body as Posted;
    expect(kept.visibility).toBe("unlisted");
    await edit({ status: "mine too", visibility: "public" }).expect(422);
    const narrowed = await edit({ status: "mine too", visibility: "private" }).expect(200);
    expect((narrowed.body as Posted).visibility).toBe("private");
    await eve.get(`/api/v1/statuses/${id}`).expect(404);
  });

  it("a status of a protected account is private in apps, which then offer no boost", async () => {
    const { id } = await post(ann, { status: "before" });
    const { id: user } = await getUserByName(world.ctx, "ann");
    await world.ctx.redis.hset(keys.user(user), "protected", "1");
    expect((await read(bob, id)).visibility).toBe("private");
    await eve.get(`/api/v1/statuses/${id}`).expect(404);
    await world.ctx.redis.hdel(keys.user(user), "protected");
    expect((await read(eve, id)).visibility).toBe("public");
  });
});
