import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { findUserByName } from "../../../../src/domain/users/store.ts";
import { keys } from "../../../../src/redis/keys.ts";
import { ApiClient } from "../../../support/actors/api-client.ts";
import { password, type Visitor } from "../../../support/actors/visitor.ts";
import { exportFileWith } from "../../../support/data/account-files.ts";
import { alertsOn, hiddenFields } from "../../../support/inspect/page.ts";
import { createWorld, type World } from "../../../support/world/world.ts";

const wordMessage = "This has a word that is not allowed on this site.";
const linkMessage = "This names a website that is not allowed on this site.";

describe("blocked words, domains and addresses", () => {
  let world: World;
  let boss: Visitor;
  let ann: Visitor;
  beforeAll(async () => {
    // Pages are kept by their address: the tests ask at changing ports.
    const baseUrl = "http://localhost:3000";
    world = await createWorld({ admins: ["boss"], trustProxy: 1, baseUrl });
    boss = await world.newcomer("boss");
    ann = await world.newcomer("ann");
  });
  afterAll(() => world.close());
  afterEach(async () => {
    await world.ctx.redis.del(keys.siteBlocks);
    await world.ctx.memory.settled();
  });

  const block = (kind: string, text: string, from = "203.0.113.1") =>
    boss.post("/admin/blocks", { kind, text }).set("X-Forwarded-For", from);
  const signUp = (fields: Record<string, string>, from = "203.0.113.2") =>
    world
      .visitor()
      .post("/signup", { fullname: "Test", password, ...fields })
      .set("X-Forwarded-For", from);

  it("a tweet with a blocked word or domain is refused beside the field, with its text kept", async () => {
    await block("word", "CASINO").expect(303);
    await block("domain", "https://Evil.example/").expect(303);
    const sent = { text: "Come to my casino" };
    const { text } = await ann.post("/tweets", sent).expect(422);
    expect(alertsOn(text)).toEqual([wordMessage]);
    expect(text).toContain("Come to my casino");
    const linked = await ann
      .post("/tweets", { text: "Look https://www.EVIL.example/a" })
      .expect(422);
    expect(alertsOn(linked.text)).toEqual([linkMessage]);
    await ann.post("/tweets", { text: "Casinos are fine" }).expect(303);

    const app = await ApiClient.of(world, "ann");
    const { body } = await app.post("/api/v1/statuses", { status: "casino!" }).expect(422);
    expect(JSON.stringify(body)).toContain(wordMessage);
    expect((await ann.see("/@ann")).map((tweet) => tweet.text)).toEqual(["Casinos are fine"]);
  });

  it("a profile with a blocked word or domain is refused, by page and by API", async () => {
    await block("word", "casino").expect(303);
    await block("domain", "evil.example").expect(303);
    const fields = { fullname: "Ann", bio: "my casino", website: "evil.example" };
    const { text } = await ann.post("/settings/profile", fields).expect(422);
    expect(alertsOn(text)).toEqual([wordMessage, linkMessage]);
    expect(text).toContain("my casino");
    const app = await ApiClient.of(world, "ann");
    const send = () => app.send("patch", "/api/v1/accounts/update_credentials");
    await send().field("display_name", "Casino").expect(422);
    await send().field("note", "at www.evil.example").expect(422);
    await send().field("note", "fine").expect(200);
    expect(await findUserByName(world.ctx, "ann")).toMatchObject({ bio: "fine", website: "" });
  });

  it("a sign-up with a blocked word in the name is refused, by page and by app", async () => {
    await block("word", "casino").expect(303);
    const { text } = await signUp({ name: "casinos99", fullname: "The Casino" }).expect(422);
    expect(alertsOn(text)).toEqual(["This name is not allowed on this site.", wordMessage]);
    expect(text).toContain("casinos99");
    const app = await ApiClient.app(world);
    const person = { username: "casinos99", password, agreement: true };
    const { body } = await app.post("/api/v1/accounts", person).expect(422);
    expect(JSON.stringify(body)).toContain("This name is not allowed on this site.");
    expect(await findUserByName(world.ctx, "casinos99")).toBeUndefined();
  });

  it("an address can be kept from signing up, and still read and log in", async () => {
    await block("signup", "192.0.2.0/24").expect(303);
    await block("signup", "2001:db8::/32").expect(303);
    for (const from of ["192.0.2.44", "2001:db8:7::1", "::ffff:192.0.2.44"]) {
      const { text } = await signUp({ name: "bea" }, from).expect(422);
      expect(alertsOn(text)).toEqual([expect.stringContaining("not possible from your network")]);
    }
    const app = await ApiClient.app(world);
    const byApp = (from: string) =>
      app
        .send("post", "/api/v1/accounts")
        .set("X-Forwarded-For", from)
        .send({ username: "cleo", password, agreement: true });
    await byApp("192.0.2.44").expect(422);
    const visitor = world.visitor();
    await visitor.get("/").set("X-Forwarded-For", "192.0.2.44").expect(200);
    const logIn = { name: "ann", password };
    await visitor.post("/login", logIn).set("X-Forwarded-For", "192.0.2.44").expect(303);
    await signUp({ name: "bea" }).expect(303);
  });

  it("an address can be shut out from everything, also from pages that are kept", async () => {
    const visitor = world.visitor();
    const ask = (path: string, from: string) => visitor.get(path).set("X-Forwarded-For", from);
    for (let nth = 0; nth < 3; nth += 1)
      for (const path of ["/about", "/explore", "/"]) await ask(path, "198.51.100.7").expect(200);
    await block("address", "198.51.100.7").expect(303);
    for (const path of [
      "/about",
      "/explore",
      "/",
      "/login",
      "/@ann",
      "/api/v1/instance",
      "/@ann.rss",
    ])
      expect([path, (await ask(path, "198.51.100.7")).status]).toEqual([path, 403]);
    await ask("/explore", "198.51.100.8").expect(200);
    await ask("/healthz", "198.51.100.7").expect(200);
    const page = await ask("/explore", "198.51.100.7").expect(403);
    expect(page.headers["content-security-policy"]).toContain("default-src 'none'");
    const form = await boss.get("/admin/blocks").expect(200);
    const fields = hiddenFields(form.text, "/admin/blocks/remove");
    await boss.post("/admin/blocks/remove", fields).expect(303);
    await ask("/explore", "198.51.100.7").expect(200);
  });

  it("the form refuses what it cannot read, an admin's own address, and too much, and keeps the input", async () => {
    for (const [kind, text, message] of [
      ["word", " ", "Please enter a word"],
      ["domain", "evil", "not a domain"],
      ["address", "0.0.0.0/0", "not an address or network"],
      ["address", "203.0.113.0/24", "your own address"],
      ["signup", "203.0.113.0/24", "your own address"],
    ] as const) {
      const refused = await block(kind, text).expect(422);
      expect(alertsOn(refused.text)).toEqual([expect.stringContaining(message)]);
      expect(refused.text).toContain(`value="${text}"`);
      expect(refused.text).toMatch(new RegExp(`value="${kind}" checked`));
    }
    await block("planet", "mars").expect(422);
    expect(await world.ctx.redis.exists(keys.siteBlocks)).toBe(0);
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, nth) => [`word:w${nth}`, 1]));
    await world.ctx.redis.hset(keys.siteBlocks, many);
    const { text } = await block("word", "more").expect(422);
    expect(alertsOn(text)).toEqual([expect.stringContaining("1,000 things are blocked")]);
  });

  it("what is blocked and unblocked is logged, once for a form that is sent twice", async () => {
    const { text } = await boss.get("/admin/blocks").expect(200);
    const fields = { ...hiddenFields(text, "/admin/blocks"), kind: "word", text: "Bingo" };
    for (let nth = 0; nth < 2; nth += 1) await boss.post("/admin/blocks", fields).expect(303);
    const list = await boss.get("/admin/blocks").expect(200);
    expect(list.text).toContain("bingo");
    const removal = hiddenFields(list.text, "/admin/blocks/remove");
    await boss.post("/admin/blocks/remove", removal).expect(303);
    const log = (await boss.get("/admin/audit").expect(200)).text.replaceAll(/<[^>]*>/g, "");
    expect(log.match(/@boss added to the blocked words and addresses\s*bingo/g)).toHaveLength(1);
    expect(log.match(/@boss removed from the blocked words and addresses\s*bingo/g)).toHaveLength(
      1,
    );
  });

  it("imported tweets with a blocked word or domain are left out, and counted", async () => {
    await block("word", "casino").expect(303);
    const tweets = ["at the casino", "at home"].map((text, nth) => ({
      id: String(nth + 1),
      text,
      created_at: `2020-01-0${nth + 1}T00:00:00Z`,
    }));
    const file = exportFileWith({ tweet: tweets });
    await ann.import(file);
    await expect
      .poll(async () => (await ann.get("/settings/data")).text, { timeout: 10_000 })
      .toContain("1 skipped: a word or website that is not allowed on this site.");
    const texts = (await ann.see("/@ann")).map((tweet) => tweet.text);
    expect(texts).toContain("at home");
    expect(texts).not.toContain("at the casino");
  });

  it("a moderator can clear a part of a profile whose rest has a blocked word", async () => {
    await ann.post("/settings/profile", { fullname: "Ann Bad", bio: "tombola" }).expect(303);
    await block("word", "tombola").expect(303);
    await boss.post("/@ann/report", { reason: "spam" }).expect(303);
    const { text } = await boss.get("/admin/reports").expect(200);
    const fields = { ...hiddenFields(text, "/admin/reports"), verb: "fullname" };
    await boss.post("/admin/reports", fields).expect(303);
    expect(await findUserByName(world.ctx, "ann")).toMatchObject({
      fullname: "ann",
      bio: "tombola",
    });
  });
});
