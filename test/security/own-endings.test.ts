import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { handleOf } from "../../src/domain/secrets.ts";
import { listSessions } from "../../src/domain/users/sessions.ts";
import { findUserByName, getUserByName } from "../../src/domain/users/store.ts";
import { createApp } from "../../src/web/app.ts";
import { password } from "../support/actors/visitor.ts";
import { sessionCookie } from "../support/inspect/cookies.ts";
import { slowProcess } from "../support/world/ending-process.ts";
import { serve, type Site } from "../support/world/serve.ts";
import { appOptions, createWorld, type World } from "../support/world/world.ts";

/** Longer than a write may come after a look at the right of its viewer. */
const milliseconds = 120;
const next = "another horse 43";

describe("a request that ends the right of its own viewer, while Redis is slow", () => {
  let world: World;
  let slow: Site;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    slow = await serve(createApp(slowProcess(world.ctx, milliseconds), appOptions));
  });
  afterAll(async () => {
    await slow.close();
    await world.close();
  });

  const send = async (path: string, cookie: string, fields: Record<string, string>) => {
    const headers = { Cookie: cookie, "Content-Type": "application/x-www-form-urlencoded" };
    const body = new URLSearchParams(fields).toString();
    const answer = await slow.send({ method: "POST", path, headers, body });
    return { to: answer.headers["location"], cookies: String(answer.headers["set-cookie"]) };
  };
  const signUp = async (name: string) => sessionCookie(await world.visitor().signUp(name));
  const openOf = async (name: string) => {
    const { id } = await getUserByName(world.ctx, name);
    return (await listSessions(world.ctx, id)).length;
  };

  it("a new password ends all sessions and opens one", async () => {
    const cookie = await signUp("changer");
    await world.visitor().logIn("changer");
    const fields = { current_password: password, new_password: next };
    const { to, cookies } = await send("/settings/account", cookie, fields);
    expect(to).toBe("/settings/account?saved");
    expect(await openOf("changer")).toBe(1);
    const fresh = /suzume=[^;]+/.exec(cookies)?.[0] ?? "";
    const page = { path: "/settings/account", headers: { Cookie: fresh } };
    expect((await slow.send({ method: "GET", ...page })).status).toBe(200);
  });

  it("a log-out and the end of an account come to their ends", async () => {
    const leaving = await signUp("leaver");
    expect((await send("/logout", leaving, {})).to).toBe("/");
    expect(await openOf("leaver")).toBe(0);
    const ending = await signUp("ender");
    const { to } = await send("/settings/account/delete", ending, { name: "ender", password });
    expect(to).toBe("/settings/account/delete?done");
    expect(await findUserByName(world.ctx, "ender")).toBeUndefined();
  });

  it("a user logs out the device at hand from the list of devices", async () => {
    const cookie = await signUp("lister");
    const { id } = await getUserByName(world.ctx, "lister");
    const [own] = await listSessions(world.ctx, id);
    const { to } = await send("/settings/sessions", cookie, { session: handleOf(own?.id ?? "") });
    expect([to, await openOf("lister")]).toEqual(["/settings/sessions", 0]);
  });

  it("a log-in takes the place of another", async () => {
    await signUp("second");
    const cookie = await signUp("first");
    const { to } = await send("/login", cookie, { name: "second", password, next: "/" });
    expect(to).toBe("/");
    expect([await openOf("first"), await openOf("second")]).toEqual([0, 2]);
  });
});
