import { setTimeout as sleep } from "node:timers/promises";
import type { SMTPServerOptions } from "smtp-server";
import { afterEach, describe, expect, it, vi } from "vitest";
import { promiseResetMail } from "../../src/domain/accounts/mail.ts";
import { sendMail } from "../../src/mail/transport.ts";
import { keys } from "../../src/redis/keys.ts";
import { linkIn, type MailServer, startMailServer } from "../support/world/mail-server.ts";
import { mailJobs, MailScene, origin, patience, personWith } from "./mail-scene.ts";

const withPassword = ({ url }: MailServer) => url.replace("smtp://", "smtp://site:horse@");

describe("a mail", () => {
  const scene = new MailScene();
  afterEach(() => scene.end());

  it("a mail waits for a mail server that is down, and arrives once it is back", async () => {
    const first = await startMailServer();
    const port = Number(new URL(first.url).port);
    await first.close();
    const world = await scene.world({ smtpUrl: first.url });
    const user = await personWith(world, "bird@example.org");
    await promiseResetMail(world.ctx, user.id, "203.0.113.1");
    const failed = () => world.logged.some((line) => line.includes("could not be reached"));
    await vi.waitUntil(failed, patience);
    // The link of a mail that was not sent opens nothing.
    expect(await world.ctx.redis.hlen(keys.resetLinks(user.id))).toBe(0);
    const server = await scene.server({}, { port });
    const mail = await server.mailTo("bird@example.org");
    await world.visitor().get(linkIn(mail, origin)).expect(200);
    expect(await mailJobs(world, "failed")).toEqual([]);
  });

  it("a mail is sent later if the mail server asks for that", async () => {
    let asked = 0;
    const server = await scene.server({
      onRcptTo(_address, _session, done) {
        asked += 1;
        const later = Object.assign(new Error("greylisted"), { responseCode: 451 });
        done(asked === 1 ? later : undefined);
      },
    });
    const world = await scene.world({ smtpUrl: server.url });
    const user = await personWith(world, "bird@example.org");
    await promiseResetMail(world.ctx, user.id, "203.0.113.1");
    await server.mailTo("bird@example.org");
    expect(asked).toBe(2);
  });

  it("a mail that the mail server refuses for good is given up, and the log names no address", async () => {
    let asked = 0;
    const server = await scene.server({
      onRcptTo({ address }, _session, done) {
        asked += 1;
        done(Object.assign(new Error(`no ${address} here`), { responseCode: 550 }));
      },
    });
    const world = await scene.world({ smtpUrl: server.url });
    const user = await personWith(world, "secret-bird@example.org");
    await promiseResetMail(world.ctx, user.id, "203.0.113.1");
    const refused = () => world.logged.some((line) => line.includes("a mail is given up"));
    await vi.waitUntil(refused, patience);
    await sleep(1500);
    expect([asked, server.arrived]).toEqual([1, []]);
    expect([await mailJobs(world, "failed"), await mailJobs(world, "delayed")]).toEqual([[], []]);
    expect(world.logged.join("")).not.toContain("secret-bird");
    expect(await world.ctx.redis.hlen(keys.resetLinks(user.id))).toBe(0);
  });

  it("a mail is not given up for a wrong password of the site", async () => {
    const server = await scene.server({
      authOptional: false,
      onAuth(_auth, _session, done) {
        done(new Error("wrong"));
      },
    });
    const smtpUrl = server.url.replace("smtp://", "smtp://site:horse@");
    const world = await scene.world({ smtpUrl });
    const user = await personWith(world, "bird@example.org");
    await promiseResetMail(world.ctx, user.id, "203.0.113.1");
    const failed = () => world.logged.some((line) => line.includes("refused the log-in"));
    await vi.waitUntil(failed, patience);
    expect(await mailJobs(world, "delayed")).toHaveLength(1);
    expect(world.logged.join("")).not.toContain("horse");
  });

  it("a password is not sent to another machine without encryption", async () => {
    let passwords = 0;
    const options: SMTPServerOptions = {
      onAuth({ username }, _session, done) {
        passwords += 1;
        done(null, { user: username });
      },
    };
    // An address of this machine that stands for another one.
    const there = await scene.server(options, { host: "127.0.0.2" });
    const world = await scene.world({ smtpUrl: withPassword(there) });
    const user = await personWith(world, "bird@example.org");
    await promiseResetMail(world.ctx, user.id, "203.0.113.1");
    const failed = () => world.logged.some((line) => line.includes("offers no encryption"));
    await vi.waitUntil(failed, patience);
    expect([passwords, there.arrived]).toEqual([0, []]);
    const here = await scene.server(options);
    await sendMail(
      { ...world.ctx.config, smtpUrl: withPassword(here) },
      { to: "other@example.org", site: "Here", subject: "Hello", text: "Hello" },
    );
    expect([passwords, here.arrived.length]).toEqual([1, 1]);
  });
});
