import type { Response } from "supertest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ApiClient } from "../../support/actors/api-client.ts";
import { createWorld, type World } from "../../support/world/world.ts";

const baseUrl = "https://birds.example";

describe("posting through the API", () => {
  let world: World;
  let alice: ApiClient;
  let bob: ApiClient;
  beforeAll(async () => {
    world = await createWorld({ baseUrl });
    for (const name of ["alice", "bob"]) await world.newcomer(name);
    alice = await ApiClient.of(world, "alice");
    bob = await ApiClient.of(world, "bob");
  });
  afterAll(() => world.close());

  const post = (fields: object) => alice.post("/api/v1/statuses", fields);
  const count = async () => {
    const { body } = await alice.get("/api/v1/timelines/home?limit=40").expect(200);
    return (body as unknown[]).length;
  };

  it("posting answers with the status, which exists at once", async () => {
    const { body } = await post({ status: "hello #birds" }).expect(200);
    expect(body).toMatchObject({ account: { acct: "alice" }, visibility: "public", pinned: false });
    const { body: home } = await alice.get("/api/v1/timelines/home").expect(200);
    expect(home[0]).toEqual(body);
  });

  it("a name with the host of this site is a mention, when posted, edited and searched for", async () => {
    const { body } = await post({
      status: "hi @bob@birds.example, and @bob@elsewhere.example",
    }).expect(200);
    const status = body as { id: string; content: string; mentions: { acct: string }[] };
    expect(status.mentions.map(({ acct }) => acct)).toEqual(["bob"]);
    expect(status.content.replaceAll(/<[^>]+>/g, "")).toBe("hi @bob, and @bob@elsewhere.example");
    const edited = await alice
      .send("put", `/api/v1/statuses/${status.id}`)
      .send({ status: "(＠Bob@BIRDS.example) @bob@birds.example.org /@bob@birds.example" })
      .expect(200);
    const { mentions, content } = edited.body as typeof status;
    expect(mentions.map(({ acct }) => acct)).toEqual(["bob"]);
    expect(content.replaceAll(/<[^>]+>/g, "")).toBe(
      "(＠Bob) @bob@birds.example.org /@bob@birds.example",
    );
    await world.delivered();
    const { body: page } = await bob
      .get("/api/v2/search?type=statuses&q=%40bob%40birds.example")
      .expect(200);
    expect((page as { statuses: { id: string }[] }).statuses.map(({ id }) => id)).toContain(
      status.id,
    );
  });

  it("a mention has the name as its user spells it, and the address that its link has", async () => {
    await world.newcomer("Cid");
    const { body } = await post({ status: "hello @cid" }).expect(200);
    const url = `${baseUrl}/@cid`;
    expect(body.mentions).toMatchObject([{ username: "Cid", acct: "Cid", url }]);
    expect(body.content).toContain(`href="${url}"`);
  });

  it("a status can answer another", async () => {
    const { body: first } = await bob.post("/api/v1/statuses", { status: "a question" });
    const { body: reply } = await post({ status: "an answer", in_reply_to_id: first.id });
    expect(reply).toMatchObject({
      in_reply_to_id: first.id,
      in_reply_to_account_id: first.account.id,
    });
    const { body: again } = await bob.get(`/api/v1/statuses/${first.id}`).expect(200);
    expect(again.replies_count).toBe(1);
  });

  it("a reply to a retweet answers the original", async () => {
    const { body: first } = await bob.post("/api/v1/statuses", { status: "said once" });
    const { body: wrapper } = await alice.post(`/api/v1/statuses/${first.id}/reblog`).expect(200);
    const { body } = await post({ status: "to that", in_reply_to_id: wrapper.id }).expect(200);
    expect(body.in_reply_to_id).toBe(first.id);
  });

  it("a status quotes the status of this site that its text links to", async () => {
    const { body: first } = await bob.post("/api/v1/statuses", { status: "worth reading" });
    const { body } = await post({ status: `look ${first.url}` }).expect(200);
    expect(body.quote).toMatchObject({
      state: "accepted",
      quoted_status: { id: first.id, account: { acct: "bob" }, quote: null },
    });
  });

  it("a status quotes the status that an app names, with a link for all who see no quotes", async () => {
    const { body: first } = await bob.post("/api/v1/statuses", { status: "to be named" });
    for (const name of ["quoted_status_id", "quote_id"]) {
      const { body } = await post({ status: "this one", [name]: first.id }).expect(200);
      expect(body.quote.quoted_status.id).toBe(first.id);
      expect(body.content).toContain(`href="${first.url}"`);
    }
    const { body: bare } = await post({ quoted_status_id: first.id }).expect(200);
    expect(bare.quote.quoted_status.id).toBe(first.id);
    const written = { status: `see ${first.url}`, quoted_status_id: first.id };
    const { body: once } = await post(written).expect(200);
    expect((once.content as string).split("href").length).toBe(2);
    await post({ status: "nothing", quoted_status_id: "1" }).expect(404);
  });

  it("a status that not everyone may see cannot be named as a quote", async () => {
    const own = { status: "for few", visibility: "private" };
    const { body: closed } = await post(own).expect(200);
    for (const name of ["quoted_status_id", "quote_id"]) {
      const { body } = await post({ status: "look", [name]: closed.id }).expect(422);
      expect(body.error).toContain("not for everyone");
    }
  });

  it("posting several times with one idempotency key posts once", async () => {
    const before = await count();
    const [one, two, other] = (await Promise.all(
      ["a key", "a key", "another key"].map((key) =>
        post({ status: "only once" }).set("Idempotency-Key", key),
      ),
    )) as [Response, Response, Response];
    expect(two.body.id).toBe(one.body.id);
    expect(other.body.id).not.toBe(one.body.id);
    expect(await count()).toBe(before + 2);
  });

  it("a status has a content warning beside its text; a warning alone is the text", async () => {
    const { body } = await post({ status: "the butler", spoiler_text: " The end " }).expect(200);
    const warned = { content: "<p>the butler</p>", spoiler_text: "The end", sensitive: true };
    expect(body).toMatchObject(warned);
    const { body: again } = await bob.get(`/api/v1/statuses/${body.id}`).expect(200);
    expect(again).toMatchObject(warned);
    const { body: alone } = await post({ status: " ", spoiler_text: "All of it" }).expect(200);
    expect(alone).toMatchObject({ content: "<p>All of it</p>", spoiler_text: "" });
  });

  it.each([
    [{ status: "" }, "Please write something first."],
    [{ status: "x".repeat(281) }, "Tweets can have at most 280 characters."],
    [{ status: "x", spoiler_text: "y".repeat(101) }, "A content warning can have at most 100"],
    [{ status: "x".repeat(200), spoiler_text: "y".repeat(81) }, "at most 280 characters."],
    [{ status: "secret", visibility: "whatever" }, "visibility could not be understood."],
    [{ status: "look", media_ids: ["1"] }, "A picture was not used for a day and is gone."],
    [{ media_ids: ["a".repeat(24)] }, "A picture was not used for a day and is gone."],
    [{ status: "which", poll: { options: ["a", "b"] } }, "A poll is open for 5 minutes to 7 days."],
    [{ status: { $ne: 1 } }, "status could not be understood."],
    [{ status: ["a"] }, "status could not be understood."],
  ])("a post that Suzume cannot represent is refused: %j", async (fields, words) => {
    const before = await count();
    const { body } = await post(fields).expect(422);
    expect(body.error).toContain("Validation failed: ");
    expect(body.error).toContain(words);
    expect(await count()).toBe(before);
  });

  it("posting takes forms and JSON, and ignores empty fields", async () => {
    const fields = {
      status: "by form",
      visibility: "unlisted",
      in_reply_to_id: "",
      language: "en",
    };
    const { body } = await post({}).type("form").send(fields).expect(200);
    expect(body).toMatchObject({ content: "<p>by form</p>", visibility: "unlisted" });
    await post({}).type("form").send("status=x&media_ids[]=1").expect(422);
    await post({}).type("form").send("status=x&poll[options][]=a").expect(422);
  });

  it("a reply to a missing or hidden status is refused", async () => {
    const { body: mine } = await post({ status: "not for bob" }).expect(200);
    const page = world.visitor();
    await page.logIn("alice");
    await page.post("/@bob/block").expect(303);
    for (const id of [mine.id, "1", "nonsense"])
      await bob.post("/api/v1/statuses", { status: "hi", in_reply_to_id: id }).expect(404);
    await page.post("/@bob/unblock").expect(303);
  });

  it("posting requires a user and the write scope", async () => {
    await new ApiClient(world).post("/api/v1/statuses", { status: "who?" }).expect(401);
    const reader = await ApiClient.of(world, "alice", "read write:favourites");
    await reader.post("/api/v1/statuses", { status: "may I?" }).expect(403);
  });
});
