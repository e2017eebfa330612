import type { Express } from "express";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RedisClient } from "../../src/redis/redis-client.ts";
import { createQueues, type Queues } from "../../src/jobs/queue.ts";
import { waitUntilReady } from "../../src/redis/client.ts";
import type { Memory } from "../../src/redis/memory.ts";
import { createApp } from "../../src/web/app.ts";
import { sessionCookie } from "../support/inspect/cookies.ts";
import { alertsOn, hiddenFields, peopleOn } from "../support/inspect/page.ts";
import { password, Visitor } from "../support/actors/visitor.ts";
import {
  connectToTestRedis,
  createWorld,
  openMemory,
  appOptions,
  type World,
} from "../support/world/world.ts";
import { closeChecked } from "../support/world/doctor.ts";

const asText = (html: string) => html.replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");

const texts = async (visitor: Visitor, path: string) =>
  (await visitor.see(path)).map((tweet) => tweet.text);

/** The case that the queue shows about something, and the fields of its form. */
async function caseAbout(keeper: Visitor, pattern: RegExp) {
  const { text } = await keeper.get("/admin/reports").expect(200);
  const sections = [...text.matchAll(/<section[^>]* id="[tp]\d+".*?<\/section>/gs)];
  const found = sections.map(([section]) => section).filter((one) => pattern.test(asText(one)));
  expect(found).toHaveLength(1);
  const [section = ""] = found;
  return { words: asText(section), fields: hiddenFields(section, "/admin/reports") };
}

describe("moderation", () => {
  let world: World;
  let elsewhere: RedisClient;
  let queues: Queues;
  let there: Express;
  let memory: Memory;
  beforeAll(async () => {
    world = await createWorld({ admins: ["keeper"] });
    elsewhere = connectToTestRedis("web", world.ctx.config);
    await waitUntilReady(elsewhere, 5000);
    queues = createQueues(elsewhere, () => {});
    memory = await openMemory(elsewhere, world.ctx.config);
    const apart = { ...world.ctx, redis: elsewhere, memory, jobs: queues };
    there = createApp(apart, appOptions);
  });
  afterAll(async () => {
    await queues.close();
    memory.close();
    elsewhere.disconnect();
    await closeChecked(world);
  });

  it("moderation goes from a report over removal and suspension to a reinstatement, all in the log", async () => {
    const keeper = await world.newcomer("keeper");
    const rude = await world.newcomer("rude");
    const [ann, ben] = [await world.newcomer("ann"), await world.newcomer("ben")];
    await ann.follow("rude");
    await rude.follow("ann");
    await rude.tweet("good morning");
    await rude.tweet("something vile");
    await ann.tweet("I am ann");
    await world.delivered();
    const [vile, good] = await ann.see("/@rude");
    expect([vile?.text, good?.text]).toEqual(["something vile", "good morning"]);

    // Ann and Ben report the tweet; Ben reports the person too.
    for (const [visitor, comment] of [
      [ann, "It is vile."],
      [ben, ""],
    ] as const) {
      await visitor.get(`/tweets/${vile?.id}/report`).expect(200);
      await visitor.post(`/tweets/${vile?.id}/report`, { reason: "abuse", comment }).expect(303);
    }
    await ben.post("/@rude/report", { reason: "spam", comment: "all day" }).expect(303);

    // The keeper sees both cases, and removes the tweet.
    const tweetCase = await caseAbout(keeper, /A tweet, reported by 2 people/);
    expect(tweetCase.words).toMatch(/something vile.*It is vile/);
    const removal = { ...tweetCase.fields, verb: "remove", note: "rule 1" };
    await keeper
      .post("/admin/reports", removal)
      .expect(303)
      .expect("Location", "/admin/reports?done=remove");
    await rude.get(`/tweets/${vile?.id}`).expect(404);
    expect(await texts(rude, "/")).toEqual(["I am ann", "good morning"]);
    expect(await texts(ann, "/")).toEqual(["I am ann", "good morning"]);
    expect((await keeper.get("/admin/reports")).text).not.toContain("something vile");

    // Then the person is suspended: out at once, and unseen.
    const phone = world.visitor();
    await phone.logIn("rude");
    const personCase = await caseAbout(keeper, /An account, reported by one person/);
    expect(personCase.words).toMatch(/Spam.*all day/);
    const suspension = { ...personCase.fields, verb: "suspend", note: "rule 2" };
    await keeper.post("/admin/reports", suspension).expect(303);
    expect(asText((await keeper.get("/admin/reports")).text)).toContain("No reports are waiting");
    for (const device of [rude, phone]) {
      await device
        .get("/settings/profile")
        .expect(303)
        .expect("Location", /^\/login/);
      await device
        .post("/tweets", { text: "let me in" })
        .expect(303)
        .expect("Location", /^\/login/);
    }
    const kept = { name: "rude", password };
    const refused = await rude.post("/login", kept).expect(422);
    expect(alertsOn(refused.text)[0]).toContain("This account is suspended.");
    const guessed = await rude.post("/login", { ...kept, password: "wrong one" }).expect(422);
    expect(alertsOn(guessed.text)).toEqual(["Wrong username or password."]);
    for (const visitor of [ann, ben, keeper, world.visitor()]) {
      for (const path of ["/@rude", "/@rude/followers", "/@rude/followings"])
        expect((await visitor.get(path).expect(404)).text).toContain("This account is suspended");
      await visitor.get(`/tweets/${good?.id}`).expect(404);
      expect(await texts(visitor, "/explore")).toEqual(["I am ann"]);
      expect((await visitor.get("/explore")).text).not.toContain("@rude");
      const { text } = await visitor.get("/@ann/followers").expect(200);
      expect(peopleOn(text)).toEqual([]);
    }
    expect(await texts(ann, "/")).toEqual(["I am ann"]);
    await ann.post("/@rude/follow").expect(404);
    expect(asText((await keeper.get("/admin/suspended")).text)).toContain("@rude");

    // A word with them, and all is back.
    const { text: list } = await keeper.get("/admin/suspended").expect(200);
    const entry = list.slice(list.indexOf("@rude"));
    const fields = { ...hiddenFields(entry, "/admin/suspended"), verb: "reinstate" };
    expect(fields).toMatchObject({ name: "rude" });
    await keeper.post("/admin/suspended", fields).expect(303);
    expect(asText((await keeper.get("/admin/suspended")).text)).toContain(
      "No accounts are suspended.",
    );
    await rude.get("/settings/profile").expect(303);
    await rude.logIn("rude");
    expect(await texts(rude, "/")).toEqual(["I am ann", "good morning"]);
    expect(await texts(ann, "/")).toEqual(["I am ann", "good morning"]);
    expect(await texts(world.visitor(), "/@rude")).toEqual(["good morning"]);
    expect(peopleOn((await ann.get("/@ann/followers")).text)).toEqual(["rude"]);
    expect((await world.visitor().get("/explore")).text).toContain("@rude");

    const log = asText((await keeper.get("/admin/audit").expect(200)).text);
    expect(log).toMatch(
      new RegExp(
        `@keeper reinstated @rude .*@keeper suspended @rude rule 2 .*` +
          `@keeper removed tweet ${vile?.id} by @rude rule 1 `,
      ),
    );
  });

  it("a report can be dismissed, and made anew", async () => {
    const keeper = world.visitor();
    await keeper.logIn("keeper");
    await world.newcomer("innocent");
    const enemy = await world.newcomer("enemy");
    const report = () => enemy.post("/@innocent/report", { reason: "other", comment: "dislike" });
    await report().expect(303);
    const first = await caseAbout(keeper, /@innocent/);
    await keeper.post("/admin/reports", { ...first.fields, verb: "dismiss" }).expect(303);
    expect((await keeper.get("/admin/reports")).text).not.toContain("@innocent");
    await world.visitor().get("/@innocent").expect(200);
    await report().expect(303);
    const second = await caseAbout(keeper, /@innocent/);
    expect(second.words).toContain("Decided before, after reports by one person.");
    await keeper.post("/admin/reports", { ...second.fields, verb: "dismiss" }).expect(303);
    const log = asText((await keeper.get("/admin/audit")).text);
    expect(log.match(/dismissed the reports about @innocent/g)).toHaveLength(2);
  });

  it("moderation holds in every process: sessions at once, pages soon", async () => {
    const keeper = world.visitor();
    await keeper.logIn("keeper");
    const cookie = sessionCookie(await world.visitor().signUp("nomad"));
    const nomad = new Visitor(there);
    nomad.agent.set("Cookie", cookie);
    await nomad.tweet("from there");
    await world.delivered();
    const visitor = new Visitor(there);
    const isSeen = async () => (await texts(visitor, "/explore")).includes("from there");
    expect(await isSeen()).toBe(true);

    await keeper.post("/admin/suspended", { name: "nomad", verb: "suspend" }).expect(303);
    await nomad.get("/settings/profile").expect(303);
    await visitor.get("/@nomad").expect(404);
    await expect.poll(isSeen, { timeout: 5000 }).toBe(false);

    await keeper.post("/admin/suspended", { name: "nomad", verb: "reinstate" }).expect(303);
    await expect.poll(isSeen, { timeout: 5000 }).toBe(true);
    await visitor.get("/@nomad").expect(200);
    await nomad.get("/settings/profile").expect(303);
  });
});
