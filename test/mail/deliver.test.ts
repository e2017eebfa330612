import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import type { MailWork } from "../../src/context.ts";
import {
  confirmAddress,
  findPending,
  requestAddress,
} from "../../src/domain/accounts/confirm-mail.ts";
import { findAddress, promiseNotice, promiseResetMail } from "../../src/domain/accounts/mail.ts";
import { rescueByMail } from "../../src/domain/accounts/reset-links.ts";
import { keys } from "../../src/redis/keys.ts";
import { deliverMail } from "../../src/mail/deliver.ts";
import { pausingBefore } from "../support/world/ending-process.ts";
import { writeSite } from "../../src/domain/site/settings.ts";
import { chooseLanguage } from "../../src/domain/users/settings.ts";
import { chooseDigest, promiseDigests } from "../../src/domain/accounts/digest.ts";
import { finishJobs } from "../support/world/doctor.ts";
import { password } from "../support/actors/visitor.ts";
import { linkIn } from "../support/world/mail-server.ts";
import { mailJobs, MailScene, origin, personWith } from "./mail-scene.ts";

describe("a mail", () => {
  const scene = new MailScene();
  afterEach(() => scene.end());

  it("a mail names its subject in its reader's language, and says that it is automatic", async () => {
    const server = await scene.server();
    const world = await scene.world({ smtpUrl: server.url });
    const user = await personWith(world, "bird@example.org");
    await promiseResetMail(world.ctx, user.id, "203.0.113.1");
    const english = await server.mailTo("bird@example.org");
    expect(english.subject).toBe("A new password for @bird on Suzume");
    expect(english.text).toContain("Hello @bird,");
    expect(english.from).toBe("site@example.org");
    expect(linkIn(english, origin)).toMatch(/^\/reset\/\d+\.[\w-]{43}$/);
    const header = (name: string) => english.headers.find(({ key }) => key === name)?.value;
    expect(header("auto-submitted")).toBe("auto-generated");
    expect(header("content-type")).toMatch(/^text\/plain; charset=utf-8/);
    expect(header("to")).toBe("bird@example.org");
    await chooseLanguage(world.ctx, user, "ja");
    const [at, device] = [Date.UTC(2026, 10, 22, 9, 30), "Firefox"];
    await promiseNotice(world.ctx, { kind: "signIn", user: user.id, at, device });
    const japanese = await server.mailTo("bird@example.org", 2);
    expect(japanese.subject).toBe("Suzume：@birdへの新しいログイン");
    expect(japanese.text).toContain("Firefox（2026年11月22日 9:30 UTC）");
    expect(linkIn(japanese, origin)).toBe("/forgot");
  });

  it("the site's name adds no line to the head of a mail", async () => {
    const server = await scene.server();
    const world = await scene.world({ smtpUrl: server.url });
    const user = await personWith(world, "bird@example.org");
    await writeSite(world.ctx, { name: "Club\r\nBcc: all@example.org\r\n\r\nBuy this" });
    await promiseNotice(world.ctx, { kind: "password", user: user.id, at: 0 });
    const { to, headers, subject } = await server.mailTo("bird@example.org");
    expect(to).toEqual(["bird@example.org"]);
    expect(headers.map(({ key }) => key)).not.toContain("bcc");
    expect(subject).toContain("Club Bcc: all@example.org");
  });

  it("a mail goes to each account of an address, and to none for others", async () => {
    const server = await scene.server();
    const world = await scene.world({ smtpUrl: server.url });
    await personWith(world, "one@example.org", "one");
    await personWith(world, "", "none");
    for (const account of ["none", "nobody_here", "nobody@example.org", "@", "", "x".repeat(300)])
      await rescueByMail(world.ctx, { account, from: "203.0.113.1" });
    await rescueByMail(world.ctx, { account: " @ONE ", from: "203.0.113.2" });
    expect((await server.mailTo("one@example.org")).text).toContain("@one");
    expect(server.arrived).toHaveLength(1);
  });

  it("of addresses that are asked for one after the other only the last gets a mail, and only one", async () => {
    const server = await scene.server();
    const world = await scene.world({ smtpUrl: server.url }, { workers: false });
    const { ctx } = world;
    const user = await personWith(world, "", "bird");
    for (const address of ["one@example.org", "two@example.org", "last@example.org"]) {
      const asked = { address, password, language: "en", from: "203.0.113.1" };
      await requestAddress(ctx, user, asked);
    }
    const jobs = (await mailJobs(world, "waiting")) as MailWork[];
    expect(jobs).toHaveLength(3);
    for (const job of jobs) await deliverMail(ctx, job);
    expect(server.arrived.map(({ to }) => to)).toEqual([["last@example.org"]]);
    const link = linkIn(await server.mailTo("last@example.org"), origin);
    await confirmAddress(ctx, link.replace("/confirm/", ""));
    expect((await findAddress(ctx, user.id))?.address).toBe("last@example.org");
  });

  it("an address that was asked for on a former version gets its mail", async () => {
    const server = await scene.server();
    const world = await scene.world({ smtpUrl: server.url }, { workers: false });
    const { ctx } = world;
    const user = await personWith(world, "", "bird");
    const asked = { address: "old@example.org", password, language: "en", from: "203.0.113.1" };
    await requestAddress(ctx, user, asked);
    const former = { ...(await findPending(ctx, user.id)), request: undefined };
    await ctx.redis.set(keys.mailPending(user.id), JSON.stringify(former));
    await deliverMail(ctx, { kind: "confirm", user: user.id });
    expect(server.arrived.map(({ to }) => to)).toEqual([["old@example.org"]]);
  });

  it("the mail queue has neither an address nor a link", async () => {
    const world = await scene.world({ smtpUrl: "smtp://127.0.0.1:9" }, { workers: false });
    const user = await personWith(world, "bird@example.org");
    await promiseResetMail(world.ctx, user.id, "203.0.113.1");
    await promiseNotice(world.ctx, { kind: "password", user: user.id, at: 7 });
    const jobs = await mailJobs(world, "waiting");
    expect(jobs).toEqual(
      expect.arrayContaining([
        { kind: "reset", user: user.id },
        { kind: "password", user: user.id, at: 7 },
      ]),
    );
    expect(jobs).toHaveLength(2);
  });

  it("a weekly mail that the mail server refuses for good is not tried again before the next week", async () => {
    let asked = 0;
    const server = await scene.server({
      onRcptTo(_address, _session, done) {
        asked += 1;
        done(Object.assign(new Error("unknown"), { responseCode: 550 }));
      },
    });
    const world = await scene.world({ smtpUrl: server.url });
    const user = await personWith(world, "bird@example.org");
    await (await world.newcomer("fan")).follow("bird");
    await chooseDigest(world.ctx, user.id, true);
    const week = 7 * 24 * 60 * 60 * 1000;
    for (const tries of [1, 2]) {
      world.pass(week);
      // The chore runs every ten minutes.
      for (let nth = 0; nth < 3; nth += 1) {
        await promiseDigests(world.ctx);
        await finishJobs(world);
      }
      expect(asked).toBe(tries);
    }
    expect(await mailJobs(world, "failed")).toEqual([]);
  });

  it("a weekly mail that could not be composed is tried again, and at the last try given up for a week", async () => {
    const server = await scene.server();
    const world = await scene.world({ smtpUrl: server.url }, { workers: false });
    const { id: user } = await personWith(world, "bird@example.org");
    await (await world.newcomer("fan")).follow("bird");
    const due = () => world.ctx.redis.zscore(keys.digests, user).then(Number);
    await chooseDigest(world.ctx, user, true);
    for (const isLast of [false, true]) {
      const work = { kind: "digest", user, due: await due() } as const;
      world.pass(8 * 24 * 60 * 60 * 1000);
      const away = new Error("Redis is away");
      const failing = pausingBefore(world.ctx, ["readHome"], () => Promise.reject(away));
      await expect(deliverMail(failing, work, isLast)).rejects.toThrow(away);
      await deliverMail(world.ctx, work);
      expect(server.arrived).toHaveLength(1);
      expect(await due()).toBeGreaterThan(world.ctx.now());
    }
  });

  it("mails of one kind to one address are a few a day", async () => {
    const server = await scene.server();
    const limits = { "mails:reset": 2, "mails:signIn": 1 };
    const world = await scene.world({ smtpUrl: server.url, limits });
    const user = await personWith(world, "bird@example.org");
    for (let nth = 0; nth < 5; nth += 1) await promiseResetMail(world.ctx, user.id, "203.0.113.1");
    const notice = { kind: "signIn", user: user.id, at: 0, device: "curl" } as const;
    for (let nth = 0; nth < 5; nth += 1) await promiseNotice(world.ctx, notice);
    await server.mailTo("bird@example.org", 3);
    await sleep(300);
    expect(server.arrived).toHaveLength(3);
  });
});
