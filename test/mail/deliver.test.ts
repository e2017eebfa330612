import { setTimeout as sleep } from "node:timers/promises";
import { Queue } from "bullmq";
import type { SMTPServerOptions } from "smtp-server";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Config } from "../../src/config.ts";
import { promiseNotice, promiseResetMail } from "../../src/domain/accounts/mails.ts";
import { rescueByMail } from "../../src/domain/accounts/rescue.ts";
import { chooseLanguage } from "../../src/domain/users/settings.ts";
import { getUserByName, type User } from "../../src/domain/users/store.ts";
import { writeSite } from "../../src/domain/site/settings.ts";
import { sendMail } from "../../src/mail/transport.ts";
import { queuePrefix } from "../../src/jobs/queue.ts";
import { keys } from "../../src/redis/keys.ts";
import { linkIn, type MailServer, startMailServer } from "../support/world/mail-server.ts";
import { createWorld, type World } from "../support/world/world.ts";

const origin = "https://suzume.example";
const mailFrom = "Suzume <site@example.org>";
const patience = { timeout: 15_000, interval: 20 };

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function startServer(
  options?: SMTPServerOptions,
  at?: { host?: string; port?: number },
): Promise<MailServer> {
  const server = await startMailServer(options, at);
  cleanups.push(server.close);
  return server;
}

async function startWorld(settings: Partial<Config>): Promise<World> {
  const world = await createWorld({ mailFrom, baseUrl: origin, ...settings });
  cleanups.push(() => world.close());
  return world;
}

/** A user with an address that was confirmed. */
async function personWith(world: World, address: string, name = "bird"): Promise<User> {
  await world.newcomer(name);
  const user = await getUserByName(world.ctx, name);
  await world.ctx.redis.hset(keys.user(user.id), { mail: address, mail_language: "en" });
  return user;
}

async function jobsOf(world: World, state: "failed" | "delayed"): Promise<number> {
  const queue = new Queue("mails", { connection: world.ctx.redis, prefix: queuePrefix });
  const count = await queue.getJobCountByTypes(state);
  await queue.close();
  return count;
}

describe("a mail", () => {
  it("says what it is about, in the language of its reader, as a text that no program answers", async () => {
    const server = await startServer();
    const world = await startWorld({ smtpUrl: server.url });
    const user = await personWith(world, "bird@example.org");
    await promiseResetMail(world.ctx, user.id);
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

  it("has no line in its head that the site's name brings along", async () => {
    const server = await startServer();
    const world = await startWorld({ smtpUrl: server.url });
    const user = await personWith(world, "bird@example.org");
    await writeSite(world.ctx, { name: "Club\r\nBcc: all@example.org\r\n\r\nBuy this" });
    await promiseNotice(world.ctx, { kind: "password", user: user.id, at: 0 });
    const { to, headers, subject } = await server.mailTo("bird@example.org");
    expect(to).toEqual(["bird@example.org"]);
    expect(headers.map(({ key }) => key)).not.toContain("bcc");
    expect(subject).toContain("Club Bcc: all@example.org");
  });

  it("goes to each account of an address, and to none for others", async () => {
    const server = await startServer();
    const world = await startWorld({ smtpUrl: server.url });
    await personWith(world, "one@example.org", "one");
    await personWith(world, "", "none");
    for (const account of ["none", "nobody_here", "nobody@example.org", "@", "", "x".repeat(300)])
      await rescueByMail(world.ctx, account);
    await rescueByMail(world.ctx, " @ONE ");
    expect((await server.mailTo("one@example.org")).text).toContain("@one");
    expect(server.arrived).toHaveLength(1);
  });

  it("waits for a mail server that is down, and arrives once it is back", async () => {
    const first = await startMailServer();
    const port = Number(new URL(first.url).port);
    await first.close();
    const world = await startWorld({ smtpUrl: first.url });
    const user = await personWith(world, "bird@example.org");
    await promiseResetMail(world.ctx, user.id);
    const failed = () => world.logged.some((line) => line.includes("could not be reached"));
    await vi.waitUntil(failed, patience);
    // The link of a mail that was not sent opens nothing.
    expect(await world.ctx.redis.hlen(keys.resetLinks(user.id))).toBe(0);
    const server = await startServer({}, { port });
    const mail = await server.mailTo("bird@example.org");
    await world.visitor().get(linkIn(mail, origin)).expect(200);
    expect(await jobsOf(world, "failed")).toBe(0);
  });

  it("comes back later if the mail server asks for that", async () => {
    let asked = 0;
    const server = await startServer({
      onRcptTo(_address, _session, done) {
        asked += 1;
        const later = Object.assign(new Error("greylisted"), { responseCode: 451 });
        done(asked === 1 ? later : undefined);
      },
    });
    const world = await startWorld({ smtpUrl: server.url });
    const user = await personWith(world, "bird@example.org");
    await promiseResetMail(world.ctx, user.id);
    await server.mailTo("bird@example.org");
    expect(asked).toBe(2);
  });

  it("is given up if the mail server refuses it for good, and the log names no address", async () => {
    let asked = 0;
    const server = await startServer({
      onRcptTo({ address }, _session, done) {
        asked += 1;
        done(Object.assign(new Error(`no ${address} here`), { responseCode: 550 }));
      },
    });
    const world = await startWorld({ smtpUrl: server.url });
    const user = await personWith(world, "secret-bird@example.org");
    await promiseResetMail(world.ctx, user.id);
    const refused = () => world.logged.some((line) => line.includes("a mail is given up"));
    await vi.waitUntil(refused, patience);
    await sleep(1500);
    expect([asked, server.arrived]).toEqual([1, []]);
    expect([await jobsOf(world, "failed"), await jobsOf(world, "delayed")]).toEqual([0, 0]);
    expect(world.logged.join("")).not.toContain("secret-bird");
    expect(await world.ctx.redis.hlen(keys.resetLinks(user.id))).toBe(0);
  });

  it("is not given up for a wrong password of the site's own", async () => {
    const server = await startServer({
      authOptional: false,
      onAuth(_auth, _session, done) {
        done(new Error("wrong"));
      },
    });
    const smtpUrl = server.url.replace("smtp://", "smtp://site:horse@");
    const world = await startWorld({ smtpUrl });
    const user = await personWith(world, "bird@example.org");
    await promiseResetMail(world.ctx, user.id);
    const failed = () => world.logged.some((line) => line.includes("refused the log-in"));
    await vi.waitUntil(failed, patience);
    expect(await jobsOf(world, "delayed")).toBe(1);
    expect(world.logged.join("")).not.toContain("horse");
  });

  it("takes no password along to another machine without encryption", async () => {
    let passwords = 0;
    const options: SMTPServerOptions = {
      onAuth({ username }, _session, done) {
        passwords += 1;
        done(null, { user: username });
      },
    };
    const withPassword = ({ url }: MailServer) => url.replace("smtp://", "smtp://site:horse@");
    // An address of this machine that stands for another one.
    const there = await startServer(options, { host: "127.0.0.2" });
    const world = await startWorld({ smtpUrl: withPassword(there) });
    const user = await personWith(world, "bird@example.org");
    await promiseResetMail(world.ctx, user.id);
    const failed = () => world.logged.some((line) => line.includes("offers no encryption"));
    await vi.waitUntil(failed, patience);
    expect([passwords, there.arrived]).toEqual([0, []]);
    const here = await startServer(options);
    await sendMail(
      { ...world.ctx.config, smtpUrl: withPassword(here) },
      { to: "other@example.org", subject: "Hello", text: "Hello" },
    );
    expect([passwords, here.arrived.length]).toEqual([1, 1]);
  });

  it("leaves neither an address nor a link in the queue", async () => {
    const world = await createWorld(
      { smtpUrl: "smtp://127.0.0.1:9", mailFrom },
      { workers: false },
    );
    cleanups.push(() => world.close());
    const user = await personWith(world, "bird@example.org");
    await promiseResetMail(world.ctx, user.id);
    await promiseNotice(world.ctx, { kind: "password", user: user.id, at: 7 });
    const queue = new Queue("mails", { connection: world.ctx.redis, prefix: queuePrefix });
    const jobs = await queue.getJobs(["waiting"]);
    await queue.close();
    expect(jobs.map(({ data }): unknown => data)).toEqual(
      expect.arrayContaining([
        { kind: "reset", user: user.id },
        { kind: "password", user: user.id, at: 7 },
      ]),
    );
    expect(jobs).toHaveLength(2);
  });

  it("is sent to one address a few times a day, of each kind", async () => {
    const server = await startServer();
    const limits = { "mails:reset": 2, "mails:signIn": 1 };
    const world = await startWorld({ smtpUrl: server.url, limits });
    const user = await personWith(world, "bird@example.org");
    for (let nth = 0; nth < 5; nth += 1) await promiseResetMail(world.ctx, user.id);
    const notice = { kind: "signIn", user: user.id, at: 0, device: "curl" } as const;
    for (let nth = 0; nth < 5; nth += 1) await promiseNotice(world.ctx, notice);
    await server.mailTo("bird@example.org", 3);
    await sleep(300);
    expect(server.arrived).toHaveLength(3);
  });
});
