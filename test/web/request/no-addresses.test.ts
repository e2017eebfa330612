import request from "supertest";
import { afterEach, describe, expect, it } from "vitest";
import type { MailWork } from "../../../src/context.ts";
import { deliverMail } from "../../../src/mail/deliver.ts";
import { mailJobs, MailScene, personWith } from "../../mail/mail-scene.ts";
import { password } from "../../support/actors/visitor.ts";
import { dump } from "../../support/world/dump.ts";

describe("addresses of clients", () => {
  const scene = new MailScene();
  afterEach(() => scene.end());

  it.each([
    ["203.0.113.9", "203.0.113"],
    ["2001:db8:77:66::5", "2001:db8"],
  ])("keys and jobs do not have %s, which logs in and asks for mails", async (from, net) => {
    const world = await scene.world(
      { smtpUrl: "smtp://127.0.0.1:9", trustProxy: 1 },
      { workers: false },
    );
    await personWith(world, "bird@example.org");
    const post = (path: string, fields: object, cookie = "") =>
      request(world.app)
        .post(path)
        .type("form")
        .set({ "X-Forwarded-For": from, "X-Forwarded-Proto": "https", Cookie: cookie })
        .send(fields);
    await post("/login", { name: "bird", password: "wrong" }).expect(422);
    await post("/forgot/mail", { account: "bird" }).expect(303);
    const { headers } = await post("/login", { name: "bird", password }).expect(303);
    const cookies = headers["set-cookie"] as unknown as string[];
    const own = cookies.map((cookie) => cookie.split(";")[0]).join("; ");
    const fields = { address: "new@example.org", password };
    await post("/settings/account/mail", fields, own).expect(303);
    for (const job of await mailJobs(world, "waiting")) {
      expect(JSON.stringify(job)).not.toContain(net);
      // There is no mail server.
      await deliverMail(world.ctx, job as MailWork).catch(() => undefined);
    }
    const stored = JSON.stringify([...(await dump(world.ctx))]);
    for (const part of [
      "logIns:account",
      "logIns:network",
      "mails:asked:reset",
      "mails:asked:confirm",
    ])
      expect(stored).toContain(`rate:${part}:`);
    expect(stored).not.toContain(net);
  });
});
