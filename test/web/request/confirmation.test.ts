import type { PublicKeyCredentialRequestOptionsJSON } from "@simplewebauthn/server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Authenticator } from "../../support/actors/authenticator.ts";
import { TestApp } from "../../support/actors/test-app.ts";
import { addPasskey, codeOf, readOptions, turnOnApp } from "../../support/actors/factors.ts";
import { password, type Visitor } from "../../support/actors/visitor.ts";
import { alertsOn, hiddenFields } from "../../support/inspect/page.ts";
import { createWorld, type World } from "../../support/world/world.ts";

const origin = "http://localhost:3000";
const security = "/settings/security";
/** Acts that are dangerous in the hands of a thief of a session. */
const acts = [
  `${security}/passkeys`,
  `${security}/passkeys/remove`,
  `${security}/totp/start`,
  `${security}/totp`,
  `${security}/totp/remove`,
  "/settings/account/mail/remove",
];
/** In the hands of a thief of an admin's session. */
const adminActs = [
  "/admin/reset",
  "/admin/site",
  "/admin/people/no_admin",
  "/admin/blocks",
  "/admin/blocks/remove",
];
const downloads = ["export.jsonl", "export-tweets.csv", "export-follows.csv"];

/** There is no mail server: nothing is sent, as no worker runs. */
const withMail = { smtpUrl: "smtp://127.0.0.1:9", mailFrom: "site@example.org" };

const prove = (visitor: Visitor, fields: Record<string, string>) =>
  visitor.post("/prove", { next: security, ...fields });
const isAsked = async (visitor: Visitor) =>
  (await visitor.post(`${security}/totp/start`)).status === 403;

describe("before dangerous acts", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld(
      { baseUrl: origin, admins: ["desk_keeper"], ...withMail },
      { workers: false },
    );
  });
  afterAll(() => world.close());

  /** A user who logged in eleven minutes ago. */
  const stale = async (name: string, prepare?: (visitor: Visitor) => Promise<unknown>) => {
    const visitor = await world.newcomer(name);
    await prepare?.(visitor);
    world.pass(11 * 60_000);
    return visitor;
  };

  it("before dangerous acts, a user who has just logged in is not asked", async () => {
    const visitor = await world.newcomer("fresh");
    expect(await isAsked(visitor)).toBe(false);
    for (const file of downloads) await visitor.get(`/settings/data/${file}`).expect(200);
    world.pass(9 * 60_000);
    expect(await isAsked(visitor)).toBe(false);
  });

  it("before dangerous acts, a user who logged in earlier is asked, at each of them", async () => {
    const visitor = await stale("asked");
    for (const act of acts) {
      const { text } = await visitor.post(act, { id: "x" }).expect(403);
      expect(text).toContain("Confirm that it is you");
    }
    expect((await visitor.post("/passkeys/options", { act: "add" })).status).toBe(403);
    const setup = await visitor.get(`${security}/totp`).expect(303);
    expect(setup.headers["location"]).toBe("/prove?next=%2Fsettings%2Fsecurity%2Ftotp");
    for (const file of downloads) {
      const { headers } = await visitor.get(`/settings/data/${file}`).expect(303);
      expect(headers["location"]).toBe("/prove?next=%2Fsettings%2Fdata");
    }
  });

  it("before dangerous acts, an admin who logged in earlier is asked, and a refused form comes back as usual", async () => {
    const admin = await stale("desk_keeper");
    for (const act of adminActs) {
      const { text } = await admin.post(act, { name: "nobody_here", note: "Hm" }).expect(403);
      expect(text).toContain("Confirm that it is you");
    }
    const { text } = await admin.post("/admin/reset", { name: "nobody_here", note: "Hm" });
    const typed = { ...hiddenFields(text, "/admin/reset"), confirm_password: password };
    const refused = await admin.post("/admin/reset", typed).expect(422);
    expect(refused.text).toContain('value="nobody_here"');
    expect(refused.text).not.toContain("Confirm that it is you");
    await admin.post("/admin/site", { signUp: "open", read: "public" }).expect(303);
    const other = await stale("no_admin");
    for (const act of adminActs) {
      const { text: shut } = await other.post(act, { name: "desk_keeper" }).expect(403);
      expect(shut).not.toContain("Confirm that it is you");
    }
  });

  it("before dangerous acts, a user who lets an app in is asked; one who refuses it is not", async () => {
    const app = await TestApp.register(world);
    const visitor = await stale("app_user");
    await app.decide(visitor, "deny");
    const { text } = await visitor.get(app.address()).expect(200);
    const fields = { ...hiddenFields(text, "/oauth/authorize"), decision: "allow" };
    const asked = await visitor.post("/oauth/authorize", fields).expect(403);
    expect(asked.text).toContain("Confirm that it is you");
    expect(asked.headers["content-security-policy"]).toContain("'self' https://app.example");
    const hidden = hiddenFields(asked.text, "/oauth/authorize");
    expect(hidden).toEqual(fields);
    const wrong = { ...hidden, confirm_password: "not it" };
    await visitor.post("/oauth/authorize", wrong).expect(422);
    const right = { ...hidden, confirm_password: password };
    const { headers } = await visitor.post("/oauth/authorize", right).expect(303);
    const code = new URL(String(headers["location"])).searchParams.get("code") ?? "";
    expect((await app.exchange(code)).status).toBe(200);
  });

  it("before dangerous acts, the password is enough, and nothing that was typed is lost", async () => {
    const visitor = await stale("typed");
    const typed = { name: 'My "phone"', passkey: "" };
    const { text } = await visitor.post(`${security}/passkeys`, typed).expect(403);
    const hidden = hiddenFields(text, `${security}/passkeys`);
    expect(hidden).toEqual(typed);
    const wrong = await visitor
      .post(`${security}/passkeys`, { ...hidden, confirm_password: "not it" })
      .expect(422);
    expect(alertsOn(wrong.text)).toEqual(["That is not your current password."]);
    expect(hiddenFields(wrong.text, `${security}/passkeys`)).toEqual(typed);
    // The act itself goes on, and its own form refuses what is missing.
    const done = await visitor
      .post(`${security}/passkeys`, { ...hidden, confirm_password: password })
      .expect(422);
    expect(done.text).toContain('value="My &quot;phone&quot;"');
    expect(done.text).toContain("Your browser did not send a passkey.");
    expect(await isAsked(visitor)).toBe(false);
    world.pass(11 * 60_000);
    expect(await isAsked(visitor)).toBe(true);
  });

  it("before dangerous acts, a code of the authenticator app is enough, once", async () => {
    let secret = "";
    const visitor = await stale("coder", async (owner) => {
      secret = await turnOnApp(owner, world);
    });
    const { text } = await visitor.get(`/prove?next=${security}`).expect(200);
    expect(text).toContain('name="confirm_code"');
    const code = await codeOf(secret, world.ctx.now());
    expect((await prove(visitor, { confirm_code: "000000" })).status).toBe(422);
    expect(await isAsked(visitor)).toBe(true);
    const { headers } = await prove(visitor, { confirm_code: code }).expect(303);
    expect(headers["location"]).toBe(security);
    expect((await visitor.post(`${security}/totp/remove`)).status).toBe(303);
    const again = await stale("coder2", async (owner) => {
      secret = await turnOnApp(owner, world);
    });
    const next = await codeOf(secret, world.ctx.now());
    await prove(again, { confirm_code: next }).expect(303);
    world.pass(11 * 60_000);
    expect((await prove(again, { confirm_code: next })).status).toBe(422);
  });

  it("before dangerous acts, a passkey of the account is enough, and no other", async () => {
    const own = new Authenticator(origin);
    const theirs = new Authenticator(origin);
    await addPasskey(await world.newcomer("other_owner"), theirs);
    const visitor = await stale("keeper", (owner) => addPasskey(owner, own));
    expect((await visitor.get("/prove")).text).toContain('data-passkey="confirm"');
    const answer = async (passkey: Authenticator) => {
      const options = await readOptions<PublicKeyCredentialRequestOptionsJSON>(visitor, "confirm");
      return await prove(visitor, { confirm_passkey: JSON.stringify(passkey.get(options)) });
    };
    expect((await answer(theirs)).status).toBe(422);
    expect(await isAsked(visitor)).toBe(true);
    expect((await answer(own)).status).toBe(303);
    expect(await isAsked(visitor)).toBe(false);
  });

  it("the page before dangerous acts leads to this site only, and asks signed-out users to log in", async () => {
    const visitor = await stale("led");
    const away = { next: "//evil.example", confirm_password: password };
    expect((await prove(visitor, away)).headers["location"]).toBe("/");
    for (const answer of [
      await world.visitor().get("/prove"),
      await world.visitor().post("/prove", { confirm_password: password }),
    ])
      expect(answer.headers["location"]).toMatch(/^\/login\?next=/);
  });

  it("before dangerous acts, wrong passwords and codes are limited together", async () => {
    const visitor = await stale("guesser", (owner) => turnOnApp(owner, world));
    for (let nth = 0; nth < 5; nth += 1) {
      await prove(visitor, { confirm_password: "not it" }).expect(422);
      await prove(visitor, { confirm_code: "000000" }).expect(422);
    }
    const { headers } = await prove(visitor, { confirm_password: password }).expect(429);
    expect(Number(headers["retry-after"])).toBeGreaterThan(60);
    expect(await isAsked(visitor)).toBe(true);
  });

  it("before dangerous acts, a new session is not confirmed by an old one", async () => {
    const visitor = await stale("renewed");
    await prove(visitor, { confirm_password: password }).expect(303);
    expect(await isAsked(visitor)).toBe(false);
    const elsewhere = world.visitor();
    await elsewhere.logIn("renewed");
    world.pass(9 * 60_000);
    await visitor.post("/logout").expect(303);
    await visitor.logIn("renewed");
    world.pass(2 * 60_000);
    expect(await isAsked(elsewhere)).toBe(true);
    expect(await isAsked(visitor)).toBe(false);
  });
});
