import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listen } from "../../src/web/server/listen.ts";
import { alertsOn, hiddenFields, peopleOn } from "../support/inspect/page.ts";
import type { Visitor } from "../support/actors/visitor.ts";
import { closeChecked } from "../support/world/doctor.ts";
import { createWorld, type World } from "../support/world/world.ts";
import { connectApp } from "./mastodon-client.ts";

const texts = async (who: Visitor, path: string) => (await who.see(path)).map(({ text }) => text);

describe("lists of people", () => {
  let world: World;
  let reader: Visitor;
  let friend: Visitor;
  let club: Visitor;
  let path: string;
  beforeAll(async () => {
    world = await createWorld();
    reader = await world.newcomer("reader");
    friend = await world.newcomer("friend");
    club = await world.newcomer("club");
    for (const name of ["friend", "club"]) await reader.follow(name);
  });
  afterAll(() => closeChecked(world));

  /** Saves the ticks on the page of a person. */
  async function tick(name: string, ...lists: string[]) {
    const action = `/@${name}/lists`;
    return await reader.agent.post(action).type("form").send({ lists });
  }

  it("a user makes a list, adds people by name and by their profile, and reads them together", async () => {
    expect((await reader.get("/").expect(200)).text).toContain('href="/lists"');
    const { text: empty } = await reader.get("/lists").expect(200);
    expect(Object.keys(hiddenFields(empty, "/lists"))).toEqual(["nonce"]);
    const made = await reader.post("/lists", { title: "Close <friends>", replies: "list" });
    expect(made.status).toBe(303);
    path = (made.headers["location"] ?? "").replace("/members", "");
    expect(path).toMatch(/^\/lists\/\d+$/);
    await reader.post(`${path}/members`, { name: "@Friend" }).expect(303);
    const profile = (await reader.get("/@club").expect(200)).text;
    expect(profile).toContain('href="/@club/lists"');
    const { text: choice } = await reader.get("/@club/lists").expect(200);
    const id = path.slice("/lists/".length);
    expect(choice).toContain(`name="lists" value="${id}"`);
    expect((await tick("club", id)).headers["location"]).toBe("/@club");
    expect((await reader.get("/@club/lists")).text).toContain(`value="${id}" checked`);
    expect(peopleOn((await reader.get(`${path}/members`)).text)).toEqual(["club", "friend"]);

    await friend.tweet("from a friend");
    await club.tweet("from the club");
    await reader.tweet("by myself");
    await world.delivered();
    expect(await texts(reader, path)).toEqual(["from the club", "from a friend"]);
    const { text: page } = await reader.get("/lists").expect(200);
    expect(page).toContain("Close &lt;friends&gt;");
    expect(page).toContain("2 people");
  });

  it("ticks that are saved leave what another tab has changed meanwhile", async () => {
    const owner = await world.newcomer("sorter");
    await owner.follow("club");
    const make = async (title: string) =>
      String((await owner.post("/lists", { title, replies: "list" })).headers["location"]);
    const first = await make("Seen");
    const { text: page } = await owner.get("/@club/lists").expect(200);
    const shown = [...page.matchAll(/name="shown" value="([^"]+)"/g)].map(([, value]) => value);
    const later = await make("Made later");
    await owner.post(later, { name: "@club" }).expect(303);
    const id = first.replace(/\D/g, "");
    const sent = owner.agent.post("/@club/lists").type("form");
    await sent.send({ lists: [id], shown }).expect(303);
    for (const members of [first, later])
      expect(peopleOn((await owner.get(members).expect(200)).text)).toEqual(["club"]);
  });

  it("the form of a list that is sent twice makes one list, and another title another", async () => {
    const doubled = await world.newcomer("doubled");
    const { nonce = "" } = hiddenFields((await doubled.get("/lists")).text, "/lists");
    const send = async (title: string) =>
      (await doubled.post("/lists", { title, replies: "list", nonce })).headers["location"];
    const places = [...(await Promise.all([send("One"), send("One")])), await send("One")];
    expect(new Set(places).size).toBe(1);
    expect(await send("Another")).not.toBe(places[0]);
    const { text: page } = await doubled.get("/lists").expect(200);
    expect(page.match(/href="\/lists\/\d+"/g)).toHaveLength(2);
  });

  it("what does not fit is said beside the field, with what was typed", async () => {
    for (const [fields, message] of [
      [{ title: " ", replies: "list" }, "Please enter a name for the list."],
      [{ title: "雀".repeat(51), replies: "none" }, "at most 50 characters"],
    ] as const) {
      const { text } = await reader.post("/lists", fields).expect(422);
      expect(alertsOn(text)[0]).toContain(message);
      expect(text).toContain(`value="${fields.replies}" selected`);
    }
    const stranger = await world.newcomer("stranger");
    for (const [name, message] of [
      ["nobody", "There is no user with that name."],
      ["stranger", "You can only add people you follow."],
    ] as const) {
      const { text } = await reader.post(`${path}/members`, { name }).expect(422);
      expect(alertsOn(text)).toEqual([message]);
      expect(text).toContain(`value="${name}"`);
    }
    expect((await reader.get("/@stranger/lists")).text).toContain("Follow @stranger first.");
    expect((await tick("stranger", path.slice("/lists/".length))).status).toBe(422);
    await reader.post(`${path}/edit`, { title: "" }).expect(422);
    await stranger.get("/lists").expect(200);
  });

  it("no other user sees a list, or may do anything with it", async () => {
    for (const page of [path, `${path}/members`, `${path}/edit`]) {
      await friend.get(page).expect(404);
      const answer = await world.visitor().get(page).expect(303);
      expect(answer.headers["location"]).toContain("/login");
    }
    await friend.post(`${path}/edit`, { title: "Mine" }).expect(404);
    await friend.post(`${path}/members`, { name: "club" }).expect(404);
    await friend.post(`${path}/members/@club/remove`).expect(404);
    await friend.post(`${path}/delete`).expect(404);
    expect((await friend.get("/lists")).text).not.toContain("&lt;friends");
    expect(await texts(reader, path)).toHaveLength(2);
  });

  it("a user who blocked the reader shows nothing on the page of ticks", async () => {
    const shy = await world.newcomer("shy");
    await reader.get("/@shy/lists").expect(200);
    await shy.post("/@reader/block").expect(303);
    await reader.get("/@shy/lists").expect(403);
  });

  it("a user shows fewer replies, renames the list and takes a person out", async () => {
    const [said] = await reader.see("/@club");
    await friend.post("/tweets", { text: "a reply to the club", reply_to: said?.id ?? "" });
    await world.delivered();
    expect(await texts(reader, path)).toContain("a reply to the club");
    await reader.post(`${path}/edit`, { title: "Birds", replies: "none" }).expect(303);
    expect(await texts(reader, path)).toEqual(["from the club", "from a friend"]);
    expect((await reader.get(path)).text).toMatch(/<h1>\s*<bdi>Birds/);
    await reader.post(`${path}/members/@club/remove`).expect(303);
    expect(await texts(reader, path)).toEqual(["from a friend"]);
  });

  it("an app reads and changes the same lists", async () => {
    const server = await listen(world.app, { ...world.ctx.config, port: 0, host: "127.0.0.1" });
    try {
      const { rest, token } = await connectApp(server.url, reader);
      const [list] = await rest.v1.lists.list();
      expect(list).toMatchObject({ title: "Birds", repliesPolicy: "none", exclusive: false });
      const id = list?.id ?? "";
      const mine = rest.v1.lists.$select(id);
      const account = await rest.v1.accounts.lookup({ acct: "club" });
      await mine.accounts.create({ accountIds: [account.id] });
      expect((await mine.accounts.list()).map(({ acct }) => acct)).toEqual(["club", "friend"]);
      expect((await mine.accounts.list({ limit: 0 })).map(({ acct }) => acct)).toHaveLength(2);
      const having = await rest.v1.accounts.$select(account.id).lists.list();
      expect(having.map((one) => one.id)).toEqual([id]);
      const first = await rest.v1.timelines.list.$select(id).list({ limit: 1 });
      const rest1 = await rest.v1.timelines.list.$select(id).list({ maxId: first[0]?.id ?? "" });
      expect([...first, ...rest1].map(({ text, content }) => text ?? content)).toEqual([
        "<p>from the club</p>",
        "<p>from a friend</p>",
      ]);
      await mine.accounts.remove({ accountIds: [account.id] });
      expect(await texts(reader, path)).toEqual(["from a friend"]);
      const outsider = await rest.v1.accounts.lookup({ acct: "stranger" });
      await expect(mine.accounts.create({ accountIds: [outsider.id] })).rejects.toMatchObject({
        statusCode: 422,
        message: expect.stringContaining("You can only add people you follow.") as string,
      });
      await expect(rest.v1.lists.create({ title: "X", exclusive: true })).rejects.toMatchObject({
        statusCode: 422,
      });
      const other = await rest.v1.lists.create({ title: "Others" });
      const changed = await rest.v1.lists.$select(other.id).update({ title: "More others" });
      expect(changed).toMatchObject({ title: "More others", repliesPolicy: "list" });
      await rest.v1.lists.$select(other.id).remove();
      await expect(rest.v1.lists.$select(other.id).fetch()).rejects.toMatchObject({
        statusCode: 404,
      });
      const theirs = await connectApp(server.url, friend, { name: "Other App" });
      await expect(theirs.rest.v1.timelines.list.$select(id).list()).rejects.toMatchObject({
        statusCode: 404,
      });
      expect(token).not.toBe(theirs.token);
    } finally {
      await server.close();
    }
  });

  it("unfollowing takes a person out, deleting a list leaves the follows", async () => {
    await reader.unfollow("friend");
    expect(await texts(reader, path)).toEqual([]);
    await reader.post(`${path}/delete`).expect(303);
    await reader.get(path).expect(404);
    expect(peopleOn((await reader.get("/@reader/followings")).text)).toEqual(["club"]);
  });
});
