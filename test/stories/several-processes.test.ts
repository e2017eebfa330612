import type { Express } from "express";
import request from "supertest";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { RedisClient } from "../../src/context.ts";
import { createQueues, type Queues } from "../../src/jobs/queue.ts";
import { waitUntilReady } from "../../src/redis/client.ts";
import { createApp } from "../../src/web/app.ts";
import { sessionCookie } from "../support/raw.ts";
import { password, Visitor } from "../support/visitor.ts";
import { connectToTestRedis, createWorld, outfit, type World } from "../support/world.ts";

/** Milliseconds until others see a change of profile, at the latest. */
const noted = 2000;

const page = async (visitor: Visitor, path: string) => (await visitor.get(path).expect(200)).text;
const texts = async (visitor: Visitor, path: string) =>
  (await visitor.see(path)).map((tweet) => tweet.text);

describe("two web processes on one database", () => {
  let world: World;
  let elsewhere: RedisClient;
  let queues: Queues;
  let here: Express;
  let there: Express;
  beforeAll(async () => {
    world = await createWorld();
    elsewhere = connectToTestRedis("web", world.ctx.config);
    await waitUntilReady(elsewhere, 5000);
    queues = createQueues(elsewhere, () => {});
    here = world.app;
    there = createApp({ ...world.ctx, redis: elsewhere, jobs: queues }, outfit(queues));
  });
  afterAll(async () => {
    await queues.close();
    elsewhere.disconnect();
    await world.close();
  });

  /** Somebody whose browser reaches now one process, now the other. */
  async function newcomer(
    name: string,
  ): Promise<{ cookie: string; here: Visitor; there: Visitor }> {
    const cookie = sessionCookie(await new Visitor(here).signUp(name));
    return { cookie, ...onBoth(cookie) };
  }

  function onBoth(cookie: string): { here: Visitor; there: Visitor } {
    const visitors = { here: new Visitor(here), there: new Visitor(there) };
    for (const visitor of Object.values(visitors)) visitor.agent.set("Cookie", cookie);
    return visitors;
  }

  it("show a change of profile to its author at once, to others within two seconds", async () => {
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
      const changed = performance.now();
      for (const visitor of [author.here, author.there])
        for (const path of ["/", "/explore", "/@author", "/settings/profile"])
          expect(await page(visitor, path)).toContain(fullname);
      // A profile is read when it is looked at; lists may lag behind.
      expect(await page(reader.there, "/@author")).toContain(profile.bio);
      const seen = async () => {
        const pages = await Promise.all(lists.map((path) => page(reader.there, path)));
        return pages.every((text) => text.includes(fullname));
      };
      await vi.waitUntil(seen, { timeout: 10_000, interval: 20 });
      expect(performance.now() - changed).toBeLessThan(noted);
    }
  });

  it("show it to others in lists which they alone look at", async () => {
    const author = await newcomer("quiet");
    const reader = await newcomer("listener");
    await reader.there.follow("quiet");
    await author.here.tweet("hello");
    await world.delivered();
    expect(await page(reader.there, "/")).toContain("Test quiet");
    await author.here.post("/settings/profile", { fullname: "Loud", bio: "" }).expect(303);
    const changed = performance.now();
    const seen = async () => (await page(reader.there, "/")).includes("Loud");
    await vi.waitUntil(seen, { timeout: 10_000, interval: 20 });
    expect(performance.now() - changed).toBeLessThan(noted);
    expect(await page(reader.there, "/")).not.toContain("Test quiet");
  });

  it("show a deleted tweet nowhere any more, though both remember it", async () => {
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
    const stranger = await request(there).get("/").expect(200);
    expect(stranger.text).not.toContain("regretted");
  });

  it("show a like to who likes at once, and its count to others within two seconds", async () => {
    const author = await newcomer("liked");
    const liker = await newcomer("liker");
    const reader = await newcomer("counter");
    await author.here.tweet("likeable");
    const [tweet] = await author.here.see("/@liked");
    const path = `/tweets/${tweet?.id}`;
    const readers = [reader.here, reader.there, liker.here, liker.there];
    for (const verb of ["like", "unlike", "retweet", "unretweet", "like"]) {
      for (const visitor of readers) for (const at of ["/@liked", path]) await page(visitor, at);
      await liker.here.post(`${path}/${verb}`).expect(303);
      const changed = performance.now();
      const [undo] = verb.endsWith("like") ? ["unlike"] : ["unretweet"];
      for (const visitor of [liker.there, liker.here, liker.there])
        for (const at of ["/@liked", path])
          expect((await page(visitor, at)).includes(`${path}/${undo}"`)).toBe(
            !verb.startsWith("un"),
          );
      for (const visitor of [reader.here, reader.there])
        expect(await page(visitor, path)).not.toContain(`${path}/${undo}"`);
      const list = verb.endsWith("like") ? "likes" : "retweets";
      const counted = async () =>
        (await page(reader.there, path)).includes(`${path}/${list}"`) === !verb.startsWith("un");
      await vi.waitUntil(counted, { timeout: 10_000, interval: 20 });
      expect(performance.now() - changed).toBeLessThan(noted);
    }
  });

  it("show retweets and quotes of a deleted tweet nowhere any more, though both remember", async () => {
    const author = await newcomer("regretful");
    const fan = await newcomer("fan");
    const reader = await newcomer("reader2");
    await reader.here.follow("fan");
    await author.here.tweet("a secret");
    const [tweet] = await author.here.see("/@regretful");
    await fan.there.post(`/tweets/${tweet?.id}/retweet`).expect(303);
    const text = `Look: http://here.test/tweets/${tweet?.id}`;
    await fan.there.post("/tweets", { text }).set("Host", "here.test").expect(303);
    await fan.here.post(`/tweets/${tweet?.id}/like`).expect(303);
    await world.delivered();
    const lists = ["/", "/@fan", "/@fan/likes", "/@fan/replies"];
    const readers = [reader.here, reader.there, fan.here, fan.there];
    for (const visitor of readers)
      for (const path of lists) expect(await page(visitor, path)).toContain("a secret");
    expect(await page(reader.there, "/@fan")).toContain("<blockquote");
    await author.here.post(`/tweets/${tweet?.id}/delete`).expect(303);
    for (const visitor of [reader.there, reader.here, fan.there, fan.here])
      for (const path of lists) {
        const shown = await page(visitor, path);
        expect(shown).not.toContain("a secret");
        expect(shown).not.toContain("<blockquote");
      }
    expect(await page(reader.there, "/@fan")).toContain("Look:");
  });

  it("show no reply to somebody any more to who has unfollowed them elsewhere", async () => {
    const asker = await newcomer("asker");
    const helper = await newcomer("helper");
    const reader = await newcomer("reader3");
    for (const name of ["asker", "helper"]) await reader.here.follow(name);
    await asker.here.tweet("which way?");
    const [tweet] = await asker.here.see("/@asker");
    await helper.there.post("/tweets", { text: "that way", reply_to: tweet?.id ?? "" }).expect(303);
    await world.delivered();
    for (const visitor of [reader.here, reader.there])
      expect(await texts(visitor, "/")).toEqual(["that way", "which way?"]);
    await reader.here.unfollow("asker");
    for (const visitor of [reader.there, reader.here])
      expect(await texts(visitor, "/")).toEqual([]);
    await reader.there.follow("asker");
    for (const visitor of [reader.here, reader.there])
      expect(await texts(visitor, "/")).toEqual(["that way", "which way?"]);
  });

  it("end a session in both when it ends in one", async () => {
    const person = await newcomer("leaver");
    const form = request(there).post("/login").type("form");
    const other = sessionCookie(await form.send({ name: "leaver", password }).expect(303));
    const second = onBoth(other);
    const settings = "/settings/profile";
    for (const { here: one, there: two } of [person, second])
      for (const visitor of [one, two, one, two]) await visitor.get(settings).expect(200);

    await person.here.post("/logout").expect(303);
    // Their cookie, kept by somebody else.
    const stolen = onBoth(person.cookie);
    for (const visitor of [stolen.there, stolen.here]) {
      await visitor.get(settings).expect(303);
      await visitor.post("/tweets", { text: "not mine" }).expect(303);
    }
    expect(await page(second.there, "/@leaver")).not.toContain("not mine");
    for (const visitor of [second.here, second.there]) await visitor.get(settings).expect(200);
  });

  it("end all other sessions in both when a password is changed in one", async () => {
    const person = await newcomer("changer");
    const form = request(there).post("/login").type("form");
    const other = sessionCookie(await form.send({ name: "changer", password }).expect(303));
    const second = onBoth(other);
    await second.here.get("/settings/account").expect(200);
    await second.there.get("/settings/account").expect(200);
    const fields = { current_password: password, new_password: "another horse 43" };
    await person.here.post("/settings/account", fields).expect(303);
    for (const visitor of [second.there, second.here])
      await visitor.get("/settings/account").expect(303);
    for (const visitor of [person.there, person.here])
      await visitor.get("/settings/account").expect(200);
  });
});
