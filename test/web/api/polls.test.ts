import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sendDueDrafts } from "../../../src/domain/actions/send-draft.ts";
import { endDuePolls } from "../../../src/domain/actions/vote.ts";
import { ApiClient } from "../../support/actors/api-client.ts";
import { finishJobs } from "../../support/world/doctor.ts";
import { createWorld, type World } from "../../support/world/world.ts";

const hour = 60 * 60 * 1000;
const poll = { options: ["tea", "coffee"], expires_in: 3600 };

const countsOf = ({ options }: { options: { votes_count: number | null }[] }) =>
  options.map(({ votes_count: count }) => count);

describe("polls of apps", () => {
  let world: World;
  let ann: ApiClient;
  let bob: ApiClient;
  beforeAll(async () => {
    world = await createWorld();
    for (const name of ["ann", "bob"]) await world.newcomer(name);
    ann = await ApiClient.of(world, "ann");
    bob = await ApiClient.of(world, "bob");
  });
  afterAll(() => world.close());

  const ask = async (more: object = {}) =>
    (
      await ann
        .post("/api/v1/statuses", { status: "What?", poll: { ...poll, ...more } })
        .expect(200)
    ).body;

  it("a status has its poll, of which only the author knows the numbers", async () => {
    const status = await ask();
    expect(status.poll).toMatchObject({
      id: status.id,
      expired: false,
      multiple: false,
      votes_count: 0,
      voters_count: 0,
      voted: true,
      own_votes: [],
    });
    expect(countsOf(status.poll)).toEqual([0, 0]);
    const { body } = await bob.get(`/api/v1/statuses/${status.id}`).expect(200);
    expect(body.poll).toMatchObject({ voted: false, own_votes: [] });
    expect(countsOf(body.poll)).toEqual([0, 0]);
    expect((await bob.get(`/api/v1/polls/${status.id}`).expect(200)).body).toEqual(body.poll);
  });

  it("a vote answers with the numbers; another one and one after the end are refused", async () => {
    const { id } = await ask({ multiple: true });
    const path = `/api/v1/polls/${id}/votes`;
    await ann.post(path, { choices: [0] }).expect(422);
    const { body } = await bob.post(path, { choices: ["1", 0] }).expect(200);
    expect(body).toMatchObject({ voted: true, own_votes: [0, 1], votes_count: 2, voters_count: 1 });
    expect(countsOf(body)).toEqual([1, 1]);
    const { body: again } = await bob.post(path, { choices: [0] }).expect(422);
    expect(again.error).toContain("already voted");
    const { body: boost } = await bob.post(`/api/v1/statuses/${id}/reblog`).expect(200);
    expect(boost).toMatchObject({ poll: null, reblog: { poll: body } });
    world.pass(hour);
    await endDuePolls(world.ctx);
    await finishJobs(world);
    await bob.post(path, { choices: [0, 1] }).expect(422);
    const { body: ended } = await bob.get("/api/v1/notifications?types[]=poll").expect(200);
    expect(ended).toMatchObject([{ type: "poll", account: { acct: "ann" }, status: { id } }]);
    const { body: own } = await ann.get("/api/v2/notifications?types[]=poll").expect(200);
    expect(own.notification_groups).toHaveLength(2);
  });

  it.each(["", " ", "00", "0x1", "1e0", "tea"])("%j is no choice", async (choice) => {
    const { id } = await ask();
    await bob.post(`/api/v1/polls/${id}/votes`, { choices: [choice] }).expect(422);
    expect(countsOf((await ann.get(`/api/v1/polls/${id}`).expect(200)).body)).toEqual([0, 0]);
  });

  it("hidden totals stay so until the end, and only the author knows them", async () => {
    const { id } = await ask({ hide_totals: true });
    const { body } = await bob.post(`/api/v1/polls/${id}/votes`, { choices: [1] }).expect(200);
    expect([body.own_votes, countsOf(body)]).toEqual([[1], [null, null]]);
    expect(countsOf((await ann.get(`/api/v1/polls/${id}`).expect(200)).body)).toEqual([0, 1]);
    world.pass(hour);
    expect(countsOf((await bob.get(`/api/v1/polls/${id}`).expect(200)).body)).toEqual([0, 1]);
  });

  it("what is no poll, or hidden, is not found", async () => {
    const { body: plain } = await ann.post("/api/v1/statuses", { status: "plain" }).expect(200);
    await bob.get(`/api/v1/polls/${plain.id}`).expect(404);
    await bob.post(`/api/v1/polls/${plain.id}/votes`, { choices: [0] }).expect(422);
    const hidden = { status: "hidden", visibility: "private", poll };
    const { body } = await ann.post("/api/v1/statuses", hidden).expect(200);
    await bob.get(`/api/v1/polls/${body.id}`).expect(404);
    await bob.post(`/api/v1/polls/${body.id}/votes`, { choices: [0] }).expect(404);
  });

  it("forms spell a poll too, and an edit keeps it", async () => {
    const form = "status=x&poll[options][]=a&poll[options][]=b&poll[expires_in]=300";
    const { body } = await ann.post("/api/v1/statuses", {}).type("form").send(form).expect(200);
    expect(body.poll.options).toMatchObject([{ title: "a" }, { title: "b" }]);
    const put = (fields: object) => ann.send("put", `/api/v1/statuses/${body.id}`).send(fields);
    await put({ status: "y", poll: { options: ["a", "c"], expires_in: 300 } }).expect(422);
    const same = { status: "y", poll: { options: ["a", "b"], expires_in: 86_400 } };
    expect((await put(same).expect(200)).body.poll).toEqual(body.poll);
    expect((await put({ status: "z" }).expect(200)).body.poll).toEqual(body.poll);
  });

  it.each([
    [{ options: ["one"], expires_in: 300 }, "at least two"],
    [{ options: ["a", "b"], expires_in: 60 }, "5 minutes"],
    [{ options: ["a", "b"] }, "5 minutes"],
    [{ options: ["a", "b".repeat(51)], expires_in: 300 }, "50 characters"],
  ])("the poll %j is refused", async (wrong, sentence) => {
    const { body } = await ann.post("/api/v1/statuses", { status: "x", poll: wrong }).expect(422);
    expect(body.error).toContain(sentence);
  });

  it("a scheduled status has a poll, which opens when it is posted", async () => {
    const scheduled_at = new Date(world.ctx.now() + hour).toISOString();
    const { body } = await ann
      .post("/api/v1/statuses", { status: "later", scheduled_at, poll })
      .expect(200);
    expect(body.params.poll).toEqual({ ...poll, multiple: false, hide_totals: false });
    world.pass(hour);
    await sendDueDrafts(world.ctx);
    const { body: home } = await ann.get("/api/v1/timelines/home?limit=1").expect(200);
    expect(Date.parse(home[0].poll.expires_at)).toBeGreaterThan(world.ctx.now() + hour - 60_000);
  });
});
