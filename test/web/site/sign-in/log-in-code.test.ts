import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeRecoveryCodes } from "../../../../src/domain/factors/codes.ts";
import { getUserByName } from "../../../../src/domain/users/store.ts";
import { suspendUser } from "../../../../src/domain/users/suspension.ts";
import { Authenticator } from "../../../support/actors/authenticator.ts";
import {
  addPasskey,
  codeOf,
  logInWithPasskey,
  turnOnApp,
} from "../../../support/actors/factors.ts";
import { TestApp } from "../../../support/actors/test-app.ts";
import { password, type Visitor } from "../../../support/actors/visitor.ts";
import { cookiesIn, sessionCookie } from "../../../support/inspect/cookies.ts";
import { alertsOn } from "../../../support/inspect/page.ts";
import { createWorld, type World } from "../../../support/world/world.ts";

const origin = "http://localhost:3000";
const wrong = "That code is not right, or it was used before. Please wait for the next one.";

const isIn = async (visitor: Visitor) => (await visitor.get("/settings/profile")).status === 200;
const send = (visitor: Visitor, code: string) => visitor.post("/login/code", { code });

describe("the log-in of an account with an authenticator app", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({ baseUrl: origin }, { workers: false });
  });
  afterAll(() => world.close());

  const open = async (name: string) => {
    const owner = await world.newcomer(name);
    return { owner, secret: await turnOnApp(owner, world) };
  };
  const typePassword = async (name: string, next = "/explore") => {
    const visitor = world.visitor();
    const answer = await visitor.post("/login", { name, password, next }).expect(303);
    return { visitor, answer };
  };

  it("a log-in with an authenticator app asks for the code on a second page, and goes on where it was", async () => {
    const { secret } = await open("second");
    const { visitor, answer } = await typePassword("second");
    expect(answer.headers["location"]).toBe("/login/code");
    const { text } = await visitor.get("/login/code").expect(200);
    expect(text).toContain('autocomplete="one-time-code"');
    const done = await send(visitor, await codeOf(secret, world.ctx.now())).expect(303);
    expect(done.headers["location"]).toBe("/explore");
    expect(await isIn(visitor)).toBe(true);
  });

  it("a log-in with an authenticator app gives no session for the password alone", async () => {
    await open("alone");
    const { visitor, answer } = await typePassword("alone");
    expect(sessionCookie(answer)).toBe("");
    expect(await isIn(visitor)).toBe(false);
    expect((await visitor.get("/")).text).not.toContain("Log out");
    for (const path of ["/settings/security", "/settings/data/export.jsonl", "/prove"])
      expect((await visitor.get(path)).headers["location"]).toMatch(/^\/login\?next=/);
    await visitor.post("/tweets", { text: "from the hallway" }).expect(303);
    const { text } = await world.visitor().get("/@alone").expect(200);
    expect(text).not.toContain("from the hallway");
  });

  it("a log-in with an authenticator app keeps its token from scripts and other sites", async () => {
    await open("cookie");
    const { answer } = await typePassword("cookie");
    const cookie = cookiesIn(answer).find((one) => one.startsWith("suzume-log-in="));
    expect(cookie).toMatch(/; Max-Age=600; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/);
    expect(cookiesIn(answer).some((one) => one.startsWith("suzume-known="))).toBe(false);
  });

  it("a log-in with an authenticator app refuses a wrong code, a used one, and the right one of another account", async () => {
    const { secret } = await open("strict");
    const { secret: theirs } = await open("other");
    const { visitor } = await typePassword("strict");
    for (const code of ["000000", "", "abc", await codeOf(theirs, world.ctx.now())]) {
      const { text } = await send(visitor, code).expect(422);
      expect(alertsOn(text)).toEqual([wrong]);
    }
    const code = await codeOf(secret, world.ctx.now());
    await send(visitor, code).expect(303);
    const { visitor: again } = await typePassword("strict");
    expect(alertsOn((await send(again, code).expect(422)).text)).toEqual([wrong]);
    expect(await isIn(again)).toBe(false);
  });

  it("a log-in with an authenticator app takes a code as people type it", async () => {
    const { secret } = await open("typist");
    const { visitor } = await typePassword("typist");
    const code = await codeOf(secret, world.ctx.now());
    const wide = [...code].map((digit) => String.fromCodePoint(0xff10 + Number(digit))).join("");
    await send(visitor, ` ${wide.slice(0, 3)}　${wide.slice(3)} `).expect(303);
    expect(await isIn(visitor)).toBe(true);
  });

  it("a log-in with an authenticator app takes each recovery code once instead of a code", async () => {
    await open("recovering");
    const user = await getUserByName(world.ctx, "recovering");
    const [first = "", second = ""] = await makeRecoveryCodes(world.ctx, user);
    const { visitor } = await typePassword("recovering");
    await send(visitor, ` ${first.toUpperCase()} `).expect(303);
    expect(await isIn(visitor)).toBe(true);
    const { visitor: again } = await typePassword("recovering");
    expect(alertsOn((await send(again, first).expect(422)).text)).toEqual([wrong]);
    expect(await isIn(again)).toBe(false);
    await send(again, second).expect(303);
    expect(await isIn(again)).toBe(true);
  });

  it("a log-in with an authenticator app lets two requests with one code in once", async () => {
    const { secret } = await open("double");
    const pages = await Promise.all([typePassword("double"), typePassword("double")]);
    const code = await codeOf(secret, world.ctx.now());
    await Promise.all(pages.map(async ({ visitor }) => await send(visitor, code)));
    const inside = await Promise.all(pages.map(({ visitor }) => isIn(visitor)));
    expect(inside.filter(Boolean)).toHaveLength(1);
  });

  it("a log-in with an authenticator app ends after ten minutes, and says so", async () => {
    const { secret } = await open("tardy");
    const { visitor } = await typePassword("tardy");
    world.pass(601_000);
    const sent = await send(visitor, await codeOf(secret, world.ctx.now())).expect(303);
    expect(sent.headers["location"]).toBe("/login?expired");
    expect(await isIn(visitor)).toBe(false);
    expect((await visitor.get("/login?expired")).text).toContain("took too long or was ended");
  });

  it("a log-in with an authenticator app ends with a change of the password, and when all other devices are logged out", async () => {
    const { owner, secret } = await open("ended");
    const expectEnd = async (visitor: Visitor) => {
      const sent = await send(visitor, await codeOf(secret, world.ctx.now())).expect(303);
      expect(sent.headers["location"]).toBe("/login?expired");
      expect(await isIn(visitor)).toBe(false);
    };
    const { visitor: first } = await typePassword("ended");
    await owner.post("/settings/sessions").expect(303);
    await expectEnd(first);
    const { visitor: second } = await typePassword("ended");
    const fields = { current_password: password, new_password: "another horse 43" };
    await owner.post("/settings/account", fields).expect(303);
    await expectEnd(second);
  });

  it("a log-in with an authenticator app limits wrong codes like wrong passwords, and tells the owner", async () => {
    const { owner, secret } = await open("guessed");
    const { visitor } = await typePassword("guessed");
    for (let nth = 1; nth <= 10; nth += 1) await send(visitor, "000000").expect(422);
    const refused = await send(visitor, await codeOf(secret, world.ctx.now())).expect(429);
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(60);
    // Another log-in with the right password begins with the same count.
    const limited = await world.visitor().post("/login", { name: "guessed", password });
    expect(limited.status).toBe(429);
    expect(await isIn(visitor)).toBe(false);
    const { text } = await owner.get("/settings/sessions").expect(200);
    expect(text).toContain("10 wrong passwords or codes have been entered");
    expect(world.logged.join("")).toContain('"msg":"wrong code"');
  });

  it("a log-in with an authenticator app asks for no code after a passkey", async () => {
    const { owner } = await open("both");
    const passkey = new Authenticator(origin);
    expect((await addPasskey(owner, passkey)).status).toBe(303);
    const { visitor } = await typePassword("both");
    const { text } = await visitor.get("/login/code");
    expect(text).toContain('data-passkey="log-in"');
    expect((await logInWithPasskey(visitor, passkey)).status).toBe(303);
    expect(await isIn(visitor)).toBe(true);
  });

  it("a log-in with an authenticator app lets apps in through the same two pages", async () => {
    const { secret } = await open("with_app");
    const app = await TestApp.register(world);
    const visitor = world.visitor();
    const { headers } = await visitor.get(app.address()).expect(303);
    const next = new URL(String(headers["location"]), origin).searchParams.get("next") ?? "";
    await visitor.post("/login", { name: "with_app", password, next }).expect(303);
    expect((await visitor.get(app.address())).status).toBe(303);
    const asked = await visitor.get("/login/code").expect(200);
    const refused = await send(visitor, "000000").expect(422);
    const done = await send(visitor, await codeOf(secret, world.ctx.now())).expect(303);
    expect(done.headers["location"]).toBe(next);
    // A window that the app opened stays connected to it.
    for (const { headers: sent } of [asked, refused, done])
      expect(sent["cross-origin-opener-policy"]).toBeUndefined();
    expect((await app.exchange(await app.codeFrom(visitor))).status).toBe(200);
  });

  it("a log-in with an authenticator app works on a site for members, with a code and with a passkey", async () => {
    const club = await createWorld({ baseUrl: origin, read: "members" }, { workers: false });
    const owner = await club.newcomer("clubber");
    const passkey = new Authenticator(origin);
    await addPasskey(owner, passkey);
    const secret = await turnOnApp(owner, club);
    const visitor = club.visitor();
    await visitor.post("/login", { name: "clubber", password }).expect(303);
    await visitor.get("/login/code").expect(200);
    await send(visitor, await codeOf(secret, club.ctx.now())).expect(303);
    expect(await isIn(visitor)).toBe(true);
    const other = club.visitor();
    expect((await logInWithPasskey(other, passkey)).status).toBe(303);
    expect(await isIn(other)).toBe(true);
    await club.close();
  });

  it("a log-in with an authenticator app leaves a suspended account shut", async () => {
    const { secret } = await open("shut");
    const { visitor } = await typePassword("shut");
    await suspendUser(world.ctx, await getUserByName(world.ctx, "shut"));
    await send(visitor, await codeOf(secret, world.ctx.now()));
    expect(await isIn(visitor)).toBe(false);
  });
});
