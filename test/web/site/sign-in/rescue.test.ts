import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Ctx } from "../../../../src/context.ts";
import { makeRecoveryCodes, useRecoveryCode } from "../../../../src/domain/factors/codes.ts";
import { makeResetLink, rescueByCode } from "../../../../src/domain/accounts/reset-links.ts";
import { getUserByName } from "../../../../src/domain/users/store.ts";
import { alertsOn } from "../../../support/inspect/page.ts";
import { password } from "../../../support/actors/visitor.ts";
import { createWorld, type World } from "../../../support/world/world.ts";

const fresh = "a rescued horse 44";

describe("the page for a forgotten password", () => {
  let world: World;
  let ctx: Ctx;
  beforeAll(async () => {
    const limits = { "logIns:name": 3 };
    world = await createWorld({ trustProxy: 1, limits }, { workers: false });
    ({ ctx } = world);
    await world.newcomer("bird");
  });
  afterAll(() => world.close());

  const codesOf = async (name: string) => makeRecoveryCodes(ctx, await getUserByName(ctx, name));
  const linkFor = async (name: string) => makeResetLink(ctx, await getUserByName(ctx, name));

  it("log-in links to the recovery page", async () => {
    const { text } = await world.visitor().get("/login").expect(200);
    expect(text).toContain('<a href="/forgot">Forgot your password?</a>');
  });

  it("the recovery page leads from a name and a code to a new password, and then to log-in", async () => {
    await world.newcomer("coder");
    const [code = ""] = await codesOf("coder");
    const visitor = world.visitor();
    const fields = { name: " @CODER ", recovery_code: code.toUpperCase() };
    const { headers } = await visitor.post("/forgot/code", fields).expect(303);
    const path = headers["location"] ?? "";
    const { text, headers: own } = await visitor.get(path).expect(200);
    expect(own["cache-control"]).toBe("no-store");
    expect(text).toContain("@coder");
    // No address of it for search engines and previews.
    const head = text.slice(0, text.indexOf("<body"));
    expect(head).not.toContain("/reset/");
    const refused = await visitor.post(path, { new_password: "short" }).expect(422);
    expect(alertsOn(refused.text)).toEqual(["Passwords need at least 8 characters."]);
    const done = await visitor.post(path, { new_password: fresh }).expect(303);
    expect(done.headers["location"]).toBe("/login?again&changed");
    expect((await visitor.get("/login?again&changed")).text).toContain("Your password is changed.");
    await visitor.post("/login", { name: "coder", password }).expect(422);
    await visitor.post("/login", { name: "coder", password: fresh }).expect(303);
    await visitor.get("/settings/profile").expect(200);
    await visitor.post("/forgot/code", fields).expect(422);
  });

  it("the recovery page answers alike for a wrong name, a wrong code and a used one, with what was typed", async () => {
    const [used = ""] = await codesOf("bird");
    await useRecoveryCode(ctx, await getUserByName(ctx, "bird"), used);
    const answers = [];
    for (const [name, code] of [
      ["bird", "0000-0000-0000-0000"],
      ["nobody_here", "0000-0000-0000-0000"],
      ["bird", used],
      ["no name", ""],
    ] as const) {
      const fields = { name, recovery_code: code };
      const { text } = await world.visitor().post("/forgot/code", fields).expect(422);
      expect(text).toContain(`value="${name}"`);
      answers.push(text.replaceAll(`value="${name}"`, "").replaceAll(`value="${code}"`, ""));
    }
    expect(alertsOn(answers[0] ?? "")).toEqual([
      "Wrong username or recovery code. Each code works once.",
    ]);
    expect(new Set(answers).size).toBe(1);
  });

  it("the recovery page sends Redis as many commands for a wrong name as for a wrong code", async () => {
    const wrongCode = await commandsFor(ctx, "bird");
    expect(wrongCode.length).toBeGreaterThan(1);
    expect(await commandsFor(ctx, "nobody_here")).toEqual(wrongCode);
  });

  it("an expired link is reported with a way to a new one", async () => {
    const path = await linkFor("bird");
    const changed = path.replace(/.$/, (last) => (last === "A" ? "B" : "A"));
    for (const gone of ["/reset/1", changed, "/reset/1.x"]) {
      const { text, headers } = await world.visitor().get(gone).expect(404);
      expect(text).toContain("This link no longer works");
      expect(text).toContain('href="/forgot"');
      expect(headers["cache-control"]).toBe("no-store");
      await world.visitor().post(gone, { new_password: fresh }).expect(404);
    }
  });

  it("opening a link does not use it up, as mail programs and chats open links", async () => {
    await world.newcomer("chatty");
    const path = await linkFor("chatty");
    for (let times = 0; times < 3; times += 1) await world.visitor().get(path).expect(200);
    await world.visitor().agent.head(path);
    await world.visitor().post(path, { new_password: fresh }).expect(303);
    await world.visitor().get(path).expect(404);
  });

  it("the log has no reset links", async () => {
    const path = await linkFor("bird");
    const secret = path.slice(path.indexOf(".") + 1);
    const upper = path.replace("/reset/", "/RESET/");
    await world.visitor().get(path).expect(200);
    await world.visitor().get(upper).expect(200);
    await world.visitor().post(path, { new_password: "short" }).expect(422);
    await world.visitor().get(path.replace("/reset/", "/confirm/")).expect(404);
    const log = world.logged.join("");
    expect(log).toContain('"path":"/reset/…"');
    expect(log).not.toContain(secret);
  });

  it("the owner can recover the account while others use up all guesses at it", async () => {
    await world.newcomer("victim");
    const attempt = (from: string, pass: string, visitor = world.visitor()) =>
      visitor.post("/login", { name: "victim", password: pass }).set("X-Forwarded-For", from);
    for (let nth = 1; nth <= 3; nth += 1) await attempt(`198.51.100.${nth}`, "wrong").expect(422);
    await attempt("203.0.113.1", password).expect(429);
    const owner = world.visitor();
    const [code = ""] = await codesOf("victim");
    const fields = { name: "victim", recovery_code: code };
    const { headers } = await owner.post("/forgot/code", fields).expect(303);
    await owner.post(headers["location"] ?? "", { new_password: fresh }).expect(303);
    await attempt("203.0.113.1", fresh).expect(429);
    await attempt("203.0.113.1", fresh, owner).expect(303);
  });

  it("without a mail server no page mentions mail", async () => {
    const bird = world.visitor();
    await bird.post("/login", { name: "bird", password });
    for (const path of ["/forgot", "/settings/account", "/privacy"])
      expect((await bird.get(path).expect(200)).text).not.toMatch(/\bmails?\b/i);
    await bird.get("/settings/account/mail").expect(404);
    await bird.post("/settings/account/mail", { address: "a@example.org", password }).expect(404);
    await bird.post("/forgot/mail", { account: "bird" }).expect(404);
    await bird.get("/confirm").expect(404);
  });
});

/** The commands that a wrong code for this name sends to Redis. */
async function commandsFor(ctx: Ctx, name: string): Promise<string[]> {
  const sent: string[] = [];
  const redis = new Proxy(ctx.redis, {
    get(target, command) {
      const value: unknown = Reflect.get(target, command, target);
      if (typeof value !== "function") return value;
      return (...args: unknown[]): unknown => {
        sent.push(String(command));
        return Reflect.apply(value, target, args);
      };
    },
  });
  const code = "0000-0000-0000-0000";
  await expect(rescueByCode({ ...ctx, redis }, { name, code })).rejects.toThrow("code.wrong");
  return sent.filter((command) => command !== "defineCommand");
}

describe("ways back in that are tried too often", () => {
  it("recovery is limited by address, with the time of the next try", async () => {
    const settings = { limits: { "logIns:address": 3 }, trustProxy: 1 };
    const world = await createWorld(settings, { workers: false });
    const from = (address: string, path: string, fields: Record<string, string>) =>
      world.visitor().post(path, fields).set("X-Forwarded-For", address);
    const guess = { name: "nobody", recovery_code: "x" };
    for (let nth = 0; nth < 3; nth += 1)
      await from("198.51.100.1", "/forgot/code", guess).expect(422);
    const { text, headers } = await from("198.51.100.1", "/forgot/code", guess).expect(429);
    expect(text).toContain('value="nobody"');
    expect(Number(headers["retry-after"])).toBeGreaterThan(60);
    await from("198.51.100.1", "/reset/1", { new_password: fresh }).expect(404);
    await from("198.51.100.2", "/forgot/code", guess).expect(422);
    await world.close();
  });
});
