import request from "supertest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sessionPrefix } from "../../../src/domain/users/sessions.ts";
import { getUserByName } from "../../../src/domain/users/store.ts";
import { createApp } from "../../../src/web/app.ts";
import { cookiesIn, sessionCookie, sessionIn } from "../../support/inspect/cookies.ts";
import { backdateSession } from "../../support/actors/people.ts";
import { password } from "../../support/actors/visitor.ts";
import { createWorld, appOptions, type World } from "../../support/world/world.ts";
import { findKeys } from "../../support/world/redis-nodes.ts";

const hour = 60 * 60 * 1000;
/** In seconds. */
const day = 24 * 60 * 60;

describe("a session", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld();
  });
  afterAll(() => world.close());

  /** Whether this cookie alone is enough. */
  async function letsIn(cookie: string): Promise<boolean> {
    const answer = await request(world.app).get("/settings/profile").set("Cookie", cookie);
    return answer.status === 200;
  }

  async function logIn(name: string, cookie = ""): Promise<string> {
    const form = request(world.app).post("/login").type("form").set("Cookie", cookie);
    return sessionCookie(await form.send({ name, password }).expect(303));
  }

  it("every log-in creates a new session, and the one before is worthless", async () => {
    const first = sessionCookie(await world.visitor().signUp("renewed"));
    const second = await logIn("renewed", first);
    expect(sessionIn(second)).toMatch(/^[\w-]{32}$/);
    expect(sessionIn(second)).not.toBe(sessionIn(first));
    expect(await letsIn(first)).toBe(false);
    expect(await letsIn(second)).toBe(true);
  });

  it("a planted session does not become the victim's", async () => {
    const planted = sessionCookie(await world.visitor().signUp("attacker"));
    await world.newcomer("planted");
    const own = await logIn("planted", planted);
    expect(own).not.toBe(planted);
    expect(await letsIn(planted)).toBe(false);
    expect(await letsIn(own)).toBe(true);
  });

  it("a session id cannot be made up or guessed without the signature", async () => {
    const cookie = sessionCookie(await world.visitor().signUp("signed"));
    const id = sessionIn(cookie);
    for (const forged of [`suzume=${id}`, `suzume=s%3A${id}.AAAA`, "suzume=s%3Amine.AAAA"])
      expect(await letsIn(forged)).toBe(false);
    const given = sessionIn(await logIn("signed", "suzume=s%3Amine.AAAA"));
    expect(given).not.toBe("mine");
  });

  it("visitors who only read get no session", async () => {
    const before = await findKeys(world.ctx.redis, `${sessionPrefix}*`);
    for (const path of ["/", "/explore", "/login", "/signup", "/settings/profile", "/@nobody"])
      expect(cookiesIn(await world.visitor().get(path))).toEqual([]);
    expect(await findKeys(world.ctx.redis, `${sessionPrefix}*`)).toHaveLength(before.length);
  });

  it("log-out ends the session on the server, on this device only", async () => {
    const here = sessionCookie(await world.visitor().signUp("leaver"));
    const there = await logIn("leaver");
    await request(world.app).post("/logout").set("Cookie", here).expect(303);
    expect(await letsIn(here)).toBe(false);
    expect(await letsIn(there)).toBe(true);
    expect(await world.ctx.redis.exists(sessionPrefix + sessionIn(here))).toBe(0);
  });

  it("a session that is written back after its end stays ended", async () => {
    const cookie = sessionCookie(await world.visitor().signUp("revived"));
    const key = sessionPrefix + sessionIn(cookie);
    const stored = await world.ctx.redis.get(key);
    await request(world.app).post("/logout").set("Cookie", cookie).expect(303);
    await world.ctx.redis.set(key, stored ?? "");
    expect(await letsIn(cookie)).toBe(false);
    expect(await world.ctx.redis.exists(key)).toBe(0);
  });

  it("a session ends at once in every process, however recently it was used there", async () => {
    const cookie = sessionCookie(await world.visitor().signUp("roamer"));
    const elsewhere = createApp(world.ctx, appOptions);
    const there = () => request(elsewhere).get("/settings/profile").set("Cookie", cookie);
    expect((await there()).status).toBe(200);
    await request(world.app).post("/logout").set("Cookie", cookie).expect(303);
    expect((await there()).status).toBe(303);
    expect(await letsIn(cookie)).toBe(false);
  });

  it("a password change ends sessions on all other devices", async () => {
    const here = sessionCookie(await world.visitor().signUp("changer"));
    const others = [await logIn("changer"), await logIn("changer")];
    const fields = { current_password: password, new_password: "another horse 43" };
    const form = request(world.app).post("/settings/account").type("form").set("Cookie", here);
    const fresh = sessionCookie(await form.send(fields).expect(303));
    for (const other of others) expect(await letsIn(other)).toBe(false);
    expect(await letsIn(here)).toBe(false);
    expect(await letsIn(fresh)).toBe(true);
  });

  it("logging out creates no session, and leaves nothing in Redis or the browser", async () => {
    const stored = async () => (await findKeys(world.ctx.redis, `${sessionPrefix}*`)).length;
    const before = await stored();
    for (let nth = 1; nth <= 3; nth += 1) {
      const answer = await request(world.app).post("/logout").expect(303);
      expect(cookiesIn(answer)).toEqual([]);
    }
    const cookie = sessionCookie(await world.visitor().signUp("tidy"));
    const out = await request(world.app).post("/logout").set("Cookie", cookie).expect(303);
    expect(cookiesIn(out)[0]).toMatch(/^suzume=; Path=\/; Expires=Thu, 01 Jan 1970/);
    expect(await stored()).toBe(before);
    // The dead cookie comes again.
    const dead = request(world.app).get("/").set("Cookie", cookie);
    await dead.expect(303).expect("Location", "/login?next=%2F");
    expect(await stored()).toBe(before);
  });

  it("a session ends 90 days after log-in, however often it is used", async () => {
    const cookie = sessionCookie(await world.visitor().signUp("regular"));
    const { id } = await getUserByName(world.ctx, "regular");
    for (const age of [0, 30, 60, 89]) {
      await backdateSession(world.ctx, id, sessionIn(cookie), age * day);
      world.pass(2 * hour);
      expect(await letsIn(cookie)).toBe(true);
    }
    await backdateSession(world.ctx, id, sessionIn(cookie), 90 * day + 1);
    expect(await letsIn(cookie)).toBe(false);
  });
});

describe("the session's cookie", () => {
  it("the session cookie is hidden from scripts and other sites", async () => {
    const world = await createWorld();
    const cookies = cookiesIn(await world.visitor().signUp("plain"));
    await world.close();
    expect(cookies.map(nameOf).toSorted()).toEqual(["suzume", "suzume-known"]);
    for (const cookie of cookies) {
      expect(attributes(cookie)).toMatchObject({ httponly: "", samesite: "Lax", path: "/" });
      expect(attributes(cookie)).not.toHaveProperty("secure");
      expect(attributes(cookie)).not.toHaveProperty("domain");
    }
  });

  it("the session cookie is bound to this host on https", async () => {
    const world = await createWorld({ trustProxy: 1 });
    const form = request(world.app).post("/signup").type("form").set("X-Forwarded-Proto", "https");
    const fields = { name: "locked", fullname: "Locked", password };
    const answer = await form.send(fields).expect(303);
    const home = await request(world.app)
      .get("/settings/profile")
      .set({ "X-Forwarded-Proto": "https", Cookie: sessionCookie(answer) });
    await world.close();
    const cookies = cookiesIn(answer);
    const names = ["__Host-suzume", "__Host-suzume-known"];
    expect(cookies.map(nameOf).toSorted()).toEqual(names);
    const expected = { secure: "", httponly: "", samesite: "Lax", path: "/" };
    for (const cookie of cookies) {
      expect(attributes(cookie)).toMatchObject(expected);
      expect(attributes(cookie)).not.toHaveProperty("domain");
    }
    expect(home.status).toBe(200);
  });
});

function nameOf(cookie: string): string {
  return cookie.slice(0, cookie.indexOf("="));
}

function attributes(cookie: string): Record<string, string> {
  const pairs = cookie.split(";").slice(1);
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name = "", value = ""] = pair.trim().split("=");
      return [name.toLowerCase(), value];
    }),
  );
}
