import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Authenticator } from "../../../support/actors/authenticator.ts";
import {
  addPasskey,
  codeOf,
  logInWithPasskey,
  turnOnApp,
} from "../../../support/actors/factors.ts";
import { alertsOn, hiddenFields } from "../../../support/inspect/page.ts";
import { password, type Visitor } from "../../../support/actors/visitor.ts";
import { createWorld, type World } from "../../../support/world/world.ts";

const path = "/admin/reset";
const linkOn = (html: string) => /<code id="reset-link">([^<]*)<\/code>/.exec(html)?.[1] ?? "";

describe("a link that an admin makes", () => {
  let world: World;
  let admin: Visitor;
  beforeAll(async () => {
    const settings = { admins: ["admin_bird"], baseUrl: "http://localhost:4711" };
    world = await createWorld(settings, { workers: false });
    admin = await world.newcomer("admin_bird");
    await world.newcomer("forgetful");
  });
  afterAll(() => world.close());

  const make = async (name: string, note = "") => {
    const { text } = await admin.get(path).expect(200);
    return admin.post(path, { ...hiddenFields(text, path), name, note });
  };

  it("an admin's reset link is shown once, on the site's own address, and sets a new password", async () => {
    const { text } = await admin.get(path).expect(200);
    const made = await admin
      .post(path, { ...hiddenFields(text, path), name: "@Forgetful", note: "Called me" })
      .set("Host", "evil.example")
      .set("X-Forwarded-Host", "evil.example")
      .expect(200);
    expect(made.headers["cache-control"]).toBe("no-store");
    const link = linkOn(made.text);
    expect(link).toMatch(/^http:\/\/localhost:4711\/reset\/\d+\.[\w-]{43}$/);
    expect(made.text).not.toContain("evil.example/reset");
    expect(linkOn((await admin.get(path)).text)).toBe("");
    const visitor = world.visitor();
    const { pathname } = new URL(link);
    await visitor.post(pathname, { new_password: "a rescued horse 44" }).expect(303);
    await visitor.post("/login", { name: "forgetful", password: "a rescued horse 44" }).expect(303);
  });

  it("a link that an admin makes leaves passkeys and authenticator app alone, unless the admin says so", async () => {
    const owner = await world.newcomer("locked_out");
    const passkey = new Authenticator("http://localhost:4711");
    await addPasskey(owner, passkey);
    const secret = await turnOnApp(owner, world);
    const reset = async (factors: Record<string, string>, new_password: string) => {
      const { text } = await admin.get(path).expect(200);
      const fields = { ...hiddenFields(text, path), name: "locked_out", note: "", ...factors };
      const made = await admin.post(path, fields).expect(200);
      const { pathname } = new URL(linkOn(made.text));
      const page = await world.visitor().get(pathname).expect(200);
      await world.visitor().post(pathname, { new_password }).expect(303);
      const visitor = world.visitor();
      const logIn = await visitor.post("/login", { name: "locked_out", password: new_password });
      return { page: page.text, visitor, leadsTo: logIn.headers["location"] };
    };
    const kept = await reset({}, "a rescued horse 44");
    expect(kept.page).toContain("Your passkeys and your authenticator app stay as they are.");
    expect(kept.leadsTo).toBe("/login/code");
    const code = await codeOf(secret, world.ctx.now());
    await kept.visitor.post("/login/code", { code }).expect(303);
    expect((await logInWithPasskey(world.visitor(), passkey)).status).toBe(303);

    const removed = await reset({ factors: "remove" }, "a rescued horse 45");
    expect(removed.page).toContain(
      "This link also removes your passkeys, your authenticator app and your recovery codes.",
    );
    expect(removed.leadsTo).toBe("/");
    expect((await logInWithPasskey(world.visitor(), passkey)).status).toBe(422);
    const { text } = await admin.get("/admin/audit").expect(200);
    expect(text).toContain("that also removes passkeys, authenticator app and recovery codes");
  });

  it("a reset link is in the audit log without its secret", async () => {
    const { text } = await make("forgetful", "Called me again");
    const secret = linkOn(text).split("/reset/")[1] ?? "";
    expect(secret).not.toBe("");
    const audit = await admin.get("/admin/audit").expect(200);
    expect(audit.text.replaceAll(/<[^>]*>/g, "")).toContain(
      "@admin_bird made a link for a new password for @forgetful",
    );
    expect(audit.text).toContain("Called me again");
    expect(audit.text).not.toContain(secret);
  });

  it("an admin cannot make a reset link for another admin's account", async () => {
    const { text, status } = await make("admin_bird");
    expect([status, linkOn(text)]).toEqual([422, ""]);
    expect(alertsOn(text)).toEqual([expect.stringContaining("reset-password NAME")]);
  });

  it("a reset link for a missing name is refused, and the form comes back as typed", async () => {
    const { text, status } = await make("nobody_here", "A note");
    expect(status).toBe(422);
    expect(text).toContain('value="nobody_here"');
    expect(text).toContain('value="A note"');
  });

  it("only admins make reset links", async () => {
    const other = world.visitor();
    await other.post(path, { name: "forgetful" }).expect(303);
    await world.newcomer("nosy");
    await other.post("/login", { name: "nosy", password }).expect(303);
    await other.get(path).expect(403);
    expect((await other.post(path, { name: "forgetful" }).expect(403)).text).not.toContain(
      "/reset/",
    );
  });
});
