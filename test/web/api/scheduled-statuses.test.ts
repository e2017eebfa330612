import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sendDueDrafts } from "../../../src/domain/actions/send-draft.ts";
import { ApiClient } from "../../support/actors/api-client.ts";
import { createWorld, type World } from "../../support/world/world.ts";

const hour = 60 * 60 * 1000;
const path = "/api/v1/scheduled_statuses";

const textsOf = (body: { params: { text: string } }[]) => body.map(({ params }) => params.text);

describe("scheduled statuses", () => {
  let world: World;
  let ann: ApiClient;
  beforeAll(async () => {
    world = await createWorld();
    await world.newcomer("ann");
    ann = await ApiClient.of(world, "ann");
  });
  afterAll(() => world.close());

  const at = (ahead: number) => new Date(world.ctx.now() + ahead).toISOString();
  const schedule = (status: string, ahead: number) =>
    ann.post("/api/v1/statuses", { status, visibility: "private", scheduled_at: at(ahead) });

  it("a status waits for its time, which may change, and is posted then", async () => {
    const { body } = await schedule("later", hour).expect(200);
    expect(body.params).toMatchObject({
      text: "later",
      visibility: "private",
      poll: null,
      spoiler_text: "",
    });
    expect((await ann.get(path).expect(200)).body).toEqual([body]);
    expect((await ann.get(`${path}/${body.id}`).expect(200)).body).toEqual(body);
    const scheduled_at = at(2 * hour);
    const put = ann.send("put", `${path}/${body.id}`).send({ scheduled_at });
    expect((await put.expect(200)).body).toEqual({ ...body, scheduled_at });
    world.pass(hour);
    await sendDueDrafts(world.ctx);
    expect((await ann.get("/api/v1/timelines/home").expect(200)).body).toEqual([]);
    world.pass(hour);
    await sendDueDrafts(world.ctx);
    const { body: home } = await ann.get("/api/v1/timelines/home").expect(200);
    expect(home).toMatchObject([{ visibility: "private" }]);
    expect((await ann.get(path).expect(200)).body).toEqual([]);
  });

  it("its language and the hidden totals of its poll stay when it is saved on the site", async () => {
    await world.newcomer("eve");
    const eve = await ApiClient.of(world, "eve");
    const poll = { options: ["tea", "coffee"], expires_in: 3600, hide_totals: true };
    const status = { status: "Vote", language: "ja", poll, scheduled_at: at(hour) };
    const { body } = await eve.post("/api/v1/statuses", status).expect(200);
    const site = world.visitor();
    await site.logIn("eve");
    const [link = ""] = /\/drafts\/\w+(?=")/.exec((await site.get("/drafts")).text) ?? [];
    const [, when = ""] =
      /name="when"[^>]* value="([^"]+)"/.exec((await site.get(link)).text) ?? [];
    const form = {
      text: "Vote now",
      choice_1: "tea",
      choice_2: "milk",
      poll_seconds: "3600",
      when,
    };
    await site.post(link, form).expect(303);
    const { body: saved } = await eve.get(`${path}/${body.id}`).expect(200);
    expect(saved.params).toMatchObject({ text: "Vote now", language: "ja" });
    expect(saved.params.poll).toMatchObject({ options: ["tea", "milk"], hide_totals: true });
  });

  it("a status that was deleted is not posted", async () => {
    const { body } = await schedule("never", hour).expect(200);
    await ann.delete(`${path}/${body.id}`).expect(200);
    for (const method of ["get", "put", "delete"] as const)
      await ann.send(method, `${path}/${body.id}`).expect(404);
  });

  it("a time that is too soon, too late or none is refused", async () => {
    const sentences = [
      [at(4 * 60_000), "five minutes"],
      [at(400 * 24 * hour), "a year"],
      ["soon", "a day and a time"],
      ["2027-02-30T09:00:00Z", "a day and a time"],
    ];
    for (const [scheduled_at, sentence = ""] of sentences) {
      const fields = { status: "when?", scheduled_at };
      const { body } = await ann.post("/api/v1/statuses", fields).expect(422);
      expect(body.error).toContain(sentence);
    }
    await schedule("x".repeat(300), hour).expect(422);
    expect((await ann.get(path).expect(200)).body).toEqual([]);
  });

  it("the list comes in pages, the last first", async () => {
    for (const ahead of [1, 2, 3]) await schedule(`${ahead}`, ahead * hour).expect(200);
    const first = await ann.get(`${path}?limit=2`).expect(200);
    expect(textsOf(first.body)).toEqual(["3", "2"]);
    const [, next = ""] = /<([^>]+)>; rel="next"/.exec(String(first.headers["link"])) ?? [];
    const { pathname, search } = new URL(next);
    expect(textsOf((await ann.get(pathname + search).expect(200)).body)).toEqual(["1"]);
  });

  it("statuses of the same time are each on one page, in both directions", async () => {
    await world.newcomer("bob");
    const bob = await ApiClient.of(world, "bob");
    const scheduled_at = at(hour);
    for (const status of ["one", "two", "three"])
      await bob.post("/api/v1/statuses", { status, scheduled_at }).expect(200);
    for (const start of [`${path}?limit=2`, `${path}?limit=2&min_id=1`]) {
      const seen: string[] = [];
      for (let page = start; page !== "";) {
        const { body, headers } = await bob.get(page).expect(200);
        seen.push(...textsOf(body));
        const [, next] = /<https?:..[^/]+([^>]+)>; rel="next"/.exec(String(headers["link"])) ?? [];
        page = next ?? "";
      }
      expect(seen.toSorted()).toEqual(["one", "three", "two"]);
    }
  });
});
