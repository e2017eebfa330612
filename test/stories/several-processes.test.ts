import request from "supertest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sessionCookie } from "../support/inspect/cookies.ts";
import { createTwoProcesses, type TwoProcesses } from "../support/world/two-processes.ts";
import { password, type Visitor } from "../support/actors/visitor.ts";
import type { World } from "../support/world/world.ts";

const page = async (visitor: Visitor, path: string) => (await visitor.get(path).expect(200)).text;
const texts = async (visitor: Visitor, path: string) =>
  (await visitor.see(path)).map((tweet) => tweet.text);

describe("two web processes on one database", () => {
  let both: TwoProcesses;
  let world: World;
  beforeAll(async () => {
    both = await createTwoProcesses();
    ({ world } = both);
  });
  afterAll(() => both.close("well"));

  const newcomer = async (name: string) => await both.newcomer(name);
  const onBoth = (cookie: string) => both.onBoth(cookie);

  it("two processes show a profile change to its author and to others, in all lists", async () => {
    const author = await newcomer("author");
    const reader = await newcomer("reader");
    await reader.here.follow("author");
    await author.here.tweet("hello");
    await world.delivered();
    const lists = ["/", "/explore", "/@reader/followings"];
    for (let change = 0; change < 2; change += 1) {
      for (const visitor of [reader.here, reader.there, author.here, author.there])
        for (const path of lists) await page(visitor, path);
      const fullname = `Renamed ${change}`;
      const profile = { fullname, bio: `I was changed ${change}` };
      await author.here.post("/settings/profile", profile).expect(303);
      for (const visitor of [author.here, author.there])
        for (const path of ["/", "/explore", "/@author", "/settings/profile"])
          expect(await page(visitor, path)).toContain(fullname);
      expect(await page(reader.there, "/@author")).toContain(profile.bio);
      for (const path of lists) expect(await page(reader.there, path)).toContain(fullname);
    }
  });

  it("two processes show a profile change in lists that only others read", async () => {
    const author = await newcomer("quiet");
    const reader = await newcomer("listener");
    await reader.there.follow("quiet");
    await author.here.tweet("hello");
    await world.delivered();
    expect(await page(reader.there, "/")).toContain("Test quiet");
    await author.here.post("/settings/profile", { fullname: "Loud", bio: "" }).expect(303);
    const changed = await page(reader.there, "/");
    expect(changed).toContain("Loud");
    expect(changed).not.toContain("Test quiet");
  });

  it("two processes show a deleted tweet nowhere, though both cached it", async () => {
    const author = await newcomer("deleter");
    const reader = await newcomer("witness");
    await reader.here.follow("deleter");
    await author.here.tweet("regretted");
    await world.delivered();
    const [tweet] = await author.here.see("/@deleter");
    const readers = [author.here, author.there, reader.here, reader.there];
    const lists = ["/", "/explore", "/@deleter"];
    for (let times = 0; times < 2; times += 1)
      for (const visitor of readers)
        for (const path of lists) expect(await texts(visitor, path)).toContain("regretted");
    for (const visitor of readers) await visitor.get(`/tweets/${tweet?.id}`).expect(200);
    await author.there.post(`/tweets/${tweet?.id}/delete`).expect(303);
    for (const visitor of readers) {
      for (const path of lists) expect(await texts(visitor, path)).not.toContain("regretted");
      await visitor.get(`/tweets/${tweet?.id}`).expect(404);
    }
    const stranger = await request(both.there).get("/").expect(200);
    expect(stranger.text).not.toContain("regretted");
  });

  it("logging out in one process ends the session in both", async () => {
    const person = await newcomer("leaver");
    const form = request(both.there).post("/login").type("form");
    const other = sessionCookie(await form.send({ name: "leaver", password }).expect(303));
    const second = onBoth(other);
    const settings = "/settings/profile";
    for (const { here: one, there: two } of [person, second])
      for (const visitor of [one, two, one, two]) await visitor.get(settings).expect(200);

    await person.here.post("/logout").expect(303);
    // A copy of their cookie.
    const stolen = onBoth(person.cookie);
    for (const visitor of [stolen.there, stolen.here]) {
      await visitor.get(settings).expect(303);
      await visitor.post("/tweets", { text: "not mine" }).expect(303);
    }
    expect(await page(second.there, "/@leaver")).not.toContain("not mine");
    for (const visitor of [second.here, second.there]) await visitor.get(settings).expect(200);
  });

  it("changing the password in one process ends all other sessions in both", async () => {
    const person = await newcomer("changer");
    const form = request(both.there).post("/login").type("form");
    const other = sessionCookie(await form.send({ name: "changer", password }).expect(303));
    const second = onBoth(other);
    await second.here.get("/settings/account").expect(200);
    await second.there.get("/settings/account").expect(200);
    const fields = { current_password: password, new_password: "another horse 43" };
    const changed = await person.here.post("/settings/account", fields).expect(303);
    const former = onBoth(person.cookie);
    for (const visitor of [second.there, second.here, former.there, former.here])
      await visitor.get("/settings/account").expect(303);
    // The browser that asked goes on under a new session.
    const renewed = onBoth(sessionCookie(changed));
    for (const visitor of [renewed.there, renewed.here])
      await visitor.get("/settings/account").expect(200);
  });
});
