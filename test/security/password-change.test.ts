import type { Request } from "express";
import request, { type Response } from "supertest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { changePassword } from "../../src/domain/accounts/change-password.ts";
import { makeResetLink } from "../../src/domain/accounts/reset-links.ts";
import { codes } from "../../src/domain/apps/authorize.ts";
import { listGrants } from "../../src/domain/apps/tokens.ts";
import { logIn } from "../../src/domain/users/log-in.ts";
import { getUserByName } from "../../src/domain/users/store.ts";
import { keys } from "../../src/redis/keys.ts";
import { createApp } from "../../src/web/app.ts";
import { knownBrowsers } from "../../src/web/request/failed-log-ins.ts";
import { ApiClient } from "../support/actors/api-client.ts";
import { TestApp } from "../support/actors/test-app.ts";
import { holdCommands } from "./hold-commands.ts";
import { endingAfter, pausingAfter, untilEnded } from "../support/world/ending-process.ts";
import { cookiesIn, sessionCookie } from "../support/inspect/cookies.ts";
import { alertsOn } from "../support/inspect/page.ts";
import { password, Visitor } from "../support/actors/visitor.ts";
import { createWorld, appOptions, secret, type World } from "../support/world/world.ts";

const changed = "another horse 43";

describe("a change of the password (H3, M6, R8)", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  const letsIn = async (cookie: string) =>
    (await request(world.app).get("/settings/profile").set("Cookie", cookie)).status === 200;

  const sendChange = (cookie: string, current = password, next = changed) =>
    request(world.app)
      .post("/settings/account")
      .type("form")
      .set("Cookie", cookie)
      .send({ current_password: current, new_password: next });

  it("a password change wins over every log-in with the old one that is under way", async () => {
    const own = sessionCookie(await world.visitor().signUp("outrun"));
    const { id } = await getUserByName(world.ctx, "outrun");
    const slow = holdCommands(world.ctx, keys.sessions(id));
    const elsewhere = createApp(slow.ctx, appOptions);
    const logIns = Array.from({ length: 9 }, () =>
      new Visitor(elsewhere).post("/login", { name: "outrun", password }),
    ).map(async (sent): Promise<Response> => await sent);
    await slow.waiting(9);
    const fresh = sessionCookie(await sendChange(own).expect(303));
    slow.release();
    for (const answer of await Promise.all(logIns)) {
      expect(answer.status).toBe(422);
      expect(alertsOn(answer.text)).toEqual(["Wrong username or password."]);
      expect(await letsIn(sessionCookie(answer))).toBe(false);
    }
    expect(await letsIn(fresh)).toBe(true);
  });

  it("a password change leaves nothing to a copy of the session that asked for it", async () => {
    const own = sessionCookie(await world.visitor().signUp("copied"));
    const fresh = sessionCookie(await sendChange(own).expect(303));
    expect(fresh).not.toBe(own);
    expect(await letsIn(own)).toBe(false);
    expect(await letsIn(fresh)).toBe(true);
  });

  it.each(["a log-in", "a link"])(
    "a browser that uses %s while the password changes is not known with that, at whichever command",
    async (how) => {
      let isPaused = true;
      for (let commands = 0; isPaused; commands += 1) {
        isPaused = false;
        const name = `known_${how.slice(2, 5)}${commands}`;
        await world.newcomer(name);
        const user = await getUserByName(world.ctx, name);
        const path = how === "a link" ? await makeResetLink(world.ctx, user) : "/login";
        const paused = pausingAfter(world.ctx, commands, async () => {
          isPaused = true;
          const now = await getUserByName(world.ctx, name);
          await changePassword(world.ctx, now, { current: undefined, next: changed });
        });
        const browser = new Visitor(createApp(paused, appOptions));
        const answer = await browser.post(path, {
          name,
          password,
          new_password: "a rescued horse",
        });
        const cookie = cookiesIn(answer).join("; ");
        const account = await getUserByName(world.ctx, name);
        const key = knownBrowsers(secret).known({ headers: { cookie } } as Request, account);
        // In the end nothing comes between.
        expect([commands, key !== undefined]).toEqual([commands, !isPaused]);
      }
    },
  );

  it("of two simultaneous password changes with one password the second is refused", async () => {
    await world.newcomer("twice");
    const user = await getUserByName(world.ctx, "twice");
    const change = (next: string) => changePassword(world.ctx, user, { current: password, next });
    const results = await Promise.allSettled([change("first of two"), change("second of two")]);
    expect(results.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    const nth = results[0]?.status === "fulfilled" ? "first" : "second";
    await logIn(world.ctx, { name: "twice", password: `${nth} of two` });
  });

  it("a password change is whole or absent, wherever the process dies", async () => {
    let whole = false;
    for (let commands = 0; !whole; commands += 1) {
      const name = `half${commands}`;
      const own = sessionCookie(await world.visitor().signUp(name));
      const app = await ApiClient.of(world, name);
      const user = await getUserByName(world.ctx, name);
      let isDone = false;
      const dying = changePassword(endingAfter(world.ctx, commands), user, {
        current: password,
        next: changed,
      }).then(() => void (isDone = true));
      await untilEnded(dying);
      const old = await logIn(world.ctx, { name, password }).catch(() => undefined);
      const next = await logIn(world.ctx, { name, password: changed }).catch(() => undefined);
      expect([old, next].filter((one) => one !== undefined)).toHaveLength(1);
      expect(await letsIn(own)).toBe(old !== undefined);
      const { status } = await app.get("/api/v1/accounts/verify_credentials");
      expect(status).toBe(old === undefined ? 401 : 200);
      // The form once more: either the change is made now, or it was and the new password is good.
      const again = await sendChange(own).expect(303);
      expect(again.headers["location"]).toMatch(old === undefined ? /^\/login/ : /saved$/);
      await logIn(world.ctx, { name, password: changed });
      whole = isDone;
    }
  });

  it("a password change ends tokens and unused codes", async () => {
    const own = sessionCookie(await world.visitor().signUp("with_apps"));
    const visitor = new Visitor(world.app);
    visitor.agent.set("Cookie", own);
    const app = await TestApp.register(world);
    const token = await app.tokenFrom(visitor);
    const code = await app.codeFrom(visitor);
    await sendChange(own).expect(303);
    expect(await app.statusWith(token)).toBe(401);
    expect((await app.exchange(code)).status).toBe(400);
  });

  it("a password change ends a code that is being given at the same moment", async () => {
    const own = sessionCookie(await world.visitor().signUp("moment"));
    const { id } = await getUserByName(world.ctx, "moment");
    const app = await TestApp.register(world);
    const slow = holdCommands(world.ctx, keys.codes(id));
    const visitor = new Visitor(createApp(slow.ctx, appOptions));
    visitor.agent.set("Cookie", own);
    const given = app.decide(visitor, "allow");
    await slow.waiting(1);
    await sendChange(own).expect(303);
    slow.release();
    expect((await given).pathname).toBe("/login");
    expect(await codes.of(world.ctx, id).list()).toEqual([]);
    expect(await listGrants(world.ctx, id)).toEqual([]);
  });
});
