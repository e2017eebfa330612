import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { claimDigest, promiseDigests, releaseDigest } from "../../src/domain/accounts/digest.ts";
import { deleteTweet } from "../../src/domain/actions/delete-tweet.ts";
import { postTweet } from "../../src/domain/actions/post-tweet.ts";
import { getUserByName, type User } from "../../src/domain/users/store.ts";
import { keys } from "../../src/redis/keys.ts";
import type { Visitor } from "../support/actors/visitor.ts";
import { finishJobs, runDoctor } from "../support/world/doctor.ts";
import {
  type ArrivedMail,
  type MailServer,
  startMailServer,
} from "../support/world/mail-server.ts";
import { createWorld, type World } from "../support/world/world.ts";

const origin = "https://suzume.example";
const path = "/settings/account/mail";
const day = 24 * 60 * 60 * 1000;
const week = 7 * day;

const choose = (visitor: Visitor, wanted: "on" | "off") =>
  visitor.post(`${path}/digest`, { wanted }).expect(303);
const endIn = (text: string) =>
  /https:\/\/suzume\.example(\/unsubscribe\/\S+)/.exec(text)?.[1] ?? "";
const page = async (visitor: Visitor, at = path) => (await visitor.get(at).expect(200)).text;
/** Who got mails, in order. */
const namesOf = (mails: ArrivedMail[]) =>
  mails
    .map(({ to }) => String(to[0]).split("@")[0] ?? "")
    .toSorted((one, other) => one.localeCompare(other));

describe("a mail of what was missed", () => {
  let world: World;
  let mails: MailServer;
  let ann: Visitor;
  let haru: Visitor;
  let user: User;
  beforeAll(async () => {
    mails = await startMailServer();
    world = await createWorld({
      smtpUrl: mails.url,
      mailFrom: "site@example.org",
      baseUrl: origin,
    });
    ann = await world.newcomer("ann");
    haru = await world.newcomer("haru", "ja");
    user = await getUserByName(world.ctx, "ann");
    for (const [name, language] of [
      ["ann", "en"],
      ["haru", "ja"],
    ] as const) {
      const { id } = await getUserByName(world.ctx, name);
      const mail = { mail: `${name}@example.org`, mail_language: language };
      await world.ctx.redis.hset(keys.user(id), mail);
    }
  });
  afterAll(async () => {
    await world.close();
    await mails.close();
  });

  const send = async () => {
    await promiseDigests(world.ctx);
    await finishJobs(world);
    return mails.arrived.splice(0);
  };
  const post = async (name: string, text: string, more: object = {}) => {
    const { id } = await getUserByName(world.ctx, name);
    return await postTweet(world.ctx, id, { text, ...more });
  };

  it("the mail is off until its user wants it, and then comes after a week with what is public", async () => {
    for (const name of ["friend", "shy", "loud"]) await world.newcomer(name);
    for (const name of ["friend", "shy", "loud"]) await ann.follow(name);
    await haru.follow("friend");
    world.pass(week);
    expect(await send()).toEqual([]);
    expect(await page(ann)).toContain("You do not get this mail.");
    await choose(ann, "on");
    await choose(haru, "on");
    expect(await page(ann)).toContain("You get this mail.");
    expect(await page(haru)).toContain("このメールを受け取っています。");
    expect(await send()).toEqual([]);
    world.pass(week);
    await post("friend", `seen\nby all @ann`);
    await post("friend", "not listed", { audience: "unlisted" });
    await post("friend", "for followers", { audience: "followers" });
    await post("loud", "the secret", { warning: "loud news" });
    const gone = await post("loud", "deleted");
    const { id: shy } = await getUserByName(world.ctx, "shy");
    await post("shy", "of a protected account");
    await world.ctx.redis.hset(keys.user(shy), "protected", "1");
    await deleteTweet(world.ctx, (await getUserByName(world.ctx, "loud")).id, gone);
    await post("ann", "my own");
    await finishJobs(world);
    const arrived = await send();
    expect(namesOf(arrived)).toEqual(["ann", "haru"]);
    const mail = arrived.find(({ to }) => to[0] === "ann@example.org");
    expect(mail?.subject).toBe("What you missed on Suzume");
    expect(mail?.text).toContain("You have 1 new notification.");
    expect(mail?.text).toContain("@friend: seen by all @ann\nhttps://suzume.example/tweets/");
    expect(mail?.text).toContain("@loud: loud news");
    expect(mail?.text).not.toMatch(/secret|not listed|followers|protected account|deleted|my own/);
    const inJapanese = arrived.find(({ to }) => to[0] === "haru@example.org");
    expect(inJapanese?.subject).toBe("Suzumeの1週間のまとめ");
    expect(inJapanese?.text).toContain("@friend: seen by all @ann");
  });

  it("the mail comes once a week, and not if nothing was missed", async () => {
    expect(await send()).toEqual([]);
    world.pass(6 * day);
    await post("friend", "more");
    await finishJobs(world);
    expect(await send()).toEqual([]);
    world.pass(day);
    expect(namesOf(await send())).toEqual(["ann", "haru"]);
    world.pass(week);
    await ann.get("/notifications").expect(200);
    expect((await send()).filter(({ to }) => to[0] === "ann@example.org")).toEqual([]);
  });

  it("the mail tells of messages by a number alone", async () => {
    await post("friend", "hush", { audience: "mentioned", people: [user.id] });
    await finishJobs(world);
    world.pass(week);
    const mail = (await send()).find(({ to }) => to[0] === "ann@example.org");
    expect(mail?.text).toContain("There are new messages in 1 conversation.");
    expect(mail?.text).not.toMatch(/hush|notification|@friend/);
    const [, conversation = ""] =
      /href="(\/messages\/[\d-]+)"/.exec(await page(ann, "/messages")) ?? [];
    await ann.get(conversation).expect(200);
    world.pass(week);
    expect((await send()).filter(({ to }) => to[0] === "ann@example.org")).toEqual([]);
  });

  it("a mail that is due is claimed once, and is due again only if it was not sent", async () => {
    const { redis } = world.ctx;
    const due = Number(await redis.zscore(keys.digests, user.id));
    world.pass(2 * week);
    const claims = await Promise.all([1, 2, 3].map(() => claimDigest(world.ctx, user.id, due)));
    expect(claims.filter(Boolean)).toHaveLength(1);
    const next = Number(await redis.zscore(keys.digests, user.id));
    expect(next).toBeGreaterThanOrEqual(world.ctx.now() + week - day);
    await releaseDigest(world.ctx, user.id, due);
    expect(await claimDigest(world.ctx, user.id, due)).toBe(true);
    await choose(ann, "off");
    await releaseDigest(world.ctx, user.id, due);
    expect(await redis.zscore(keys.digests, user.id)).toBeNull();
    await choose(ann, "on");
  });

  it("one click ends it, from the program of mail and from the page behind the link", async () => {
    await post("friend", "last");
    await finishJobs(world);
    world.pass(week);
    await post("friend", "very last");
    await finishJobs(world);
    const arrived = await send();
    const mailTo = (name: string) => arrived.find(({ to }) => to[0] === `${name}@example.org`);
    const { raw = "", text = "" } = mailTo("ann") ?? {};
    const unfolded = raw.replaceAll(/\r\n\s+/g, " ");
    const end = endIn(text);
    expect(unfolded).toContain(`List-Unsubscribe: <${origin}${end}>`);
    expect(raw).toContain("List-Unsubscribe-Post: List-Unsubscribe=One-Click");
    // A link that a program opens ends nothing.
    const stranger = world.visitor();
    expect(await page(stranger, end)).toContain("Do you want no more weekly mails");
    expect(await page(ann)).toContain("You get this mail.");
    for (let times = 0; times < 2; times += 1) {
      const answer = await stranger.post(end, { "List-Unsubscribe": "One-Click" }).expect(200);
      expect(answer.text).toContain("You get no more weekly mails.");
    }
    expect(await page(ann)).toContain("You do not get this mail.");
    const other = endIn(mailTo("haru")?.text ?? "");
    expect((await haru.post(other).expect(200)).text).toContain("停止しました");
    for (const wrong of [`${end}x`, end.replace("/1.", "/2."), "/unsubscribe/1", "/unsubscribe/1."])
      await stranger.post(wrong).expect(404);
    expect(world.logged.join("")).not.toContain(end);
    world.pass(week);
    expect(await send()).toEqual([]);
  });

  it("the mail ends with its account, and without an address", async () => {
    await choose(ann, "on");
    await choose(haru, "on");
    await ann.post(`${path}/remove`);
    await world.ctx.redis.hdel(keys.user(user.id), "mail");
    world.pass(week);
    await post("friend", "unread");
    await finishJobs(world);
    expect((await send()).map(({ to }) => to[0])).toEqual(["haru@example.org"]);
    expect(await world.ctx.redis.zscore(keys.digests, user.id)).toBeNull();
    await world.ctx.redis.zadd(keys.digests, 1, "999");
    await world.ctx.redis.set(keys.userIds, "1000");
    expect((await runDoctor(world, { repair: true })).counts).toMatchObject({
      "mail-of-nobody": 1,
    });
    expect(await world.ctx.redis.zscore(keys.digests, "999")).toBeNull();
  });
});
