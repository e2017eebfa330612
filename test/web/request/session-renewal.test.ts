import request from "supertest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sessionPrefix } from "../../../src/domain/users/sessions.ts";
import { createApp } from "../../../src/web/app.ts";
import { openEventStream } from "../../support/actors/event-stream.ts";
import { password } from "../../support/actors/visitor.ts";
import { sessionCookie, sessionIn } from "../../support/inspect/cookies.ts";
import { sendSlowly, serve } from "../../support/world/serve.ts";
import { appOptions, createWorld, type World } from "../../support/world/world.ts";

const hour = 60 * 60 * 1000;
/** In seconds. */
const day = 24 * 60 * 60;

describe("the renewal of a session", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld();
  });
  afterAll(() => world.close());

  async function letsIn(cookie: string): Promise<boolean> {
    const answer = await request(world.app).get("/settings/profile").set("Cookie", cookie);
    return answer.status === 200;
  }

  it("a session expires after 30 unused days; use renews it", async () => {
    const cookie = sessionCookie(await world.visitor().signUp("idler"));
    const key = sessionPrefix + sessionIn(cookie);
    expect(await world.ctx.redis.ttl(key)).toBeGreaterThan(30 * day - 60);
    expect(await world.ctx.redis.ttl(key)).toBeLessThanOrEqual(30 * day);
    await world.ctx.redis.expire(key, 1000);
    await letsIn(cookie);
    expect(await world.ctx.redis.ttl(key)).toBeLessThanOrEqual(1000);
    world.pass(2 * hour);
    await letsIn(cookie);
    expect(await world.ctx.redis.ttl(key)).toBeGreaterThan(30 * day - 60);
    await world.ctx.redis.pexpire(key, 1);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await letsIn(cookie)).toBe(false);
  });

  it("a slow request does not write back the session that ended meanwhile", async () => {
    const cookie = sessionCookie(await world.visitor().signUp("slow"));
    const key = sessionPrefix + sessionIn(cookie);
    const site = await serve(world.app);
    // The session was last renewed long ago, so the slow request renews it.
    world.pass(2 * hour);
    // Of a picture the session is looked at first, then the body is read.
    const part = 'Content-Disposition: form-data; name="avatar"; filename="a.png"';
    const slow = await sendSlowly(site.port, {
      path: "/settings/avatar",
      cookie,
      type: "multipart/form-data; boundary=b",
      body: `--b\r\n${part}\r\nContent-Type: image/png\r\n\r\nno picture\r\n--b--\r\n`,
    });
    await new Promise((resolve) => setTimeout(resolve, 100));
    const out = { method: "POST", path: "/logout", headers: { cookie } };
    expect((await site.send(out)).status).toBe(303);
    expect(await slow.finish()).toContain("Location: /login");
    await site.close();
    expect(await world.ctx.redis.exists(key)).toBe(0);
    expect(await letsIn(cookie)).toBe(false);
  });

  it("a stream that renewed the session writes nothing back when it ends", async () => {
    const cookie = sessionCookie(await world.visitor().signUp("listener"));
    const key = sessionPrefix + sessionIn(cookie);
    const ending = new AbortController();
    const site = await serve(createApp(world.ctx, { ...appOptions, ending: ending.signal }));
    world.pass(2 * hour);
    const moved = await openEventStream(site.port, "/live", { cookie });
    const proof = { confirm_password: password, next: "/" };
    await request(world.app).post("/prove").type("form").set("Cookie", cookie).send(proof);
    const proved = await world.ctx.redis.get(key);
    expect(proved).toContain('"confirmedAgain":true');
    ending.abort();
    await moved.ended;
    expect(await world.ctx.redis.get(key)).toBe(proved);
    await site.close();

    const next = await serve(world.app);
    world.pass(2 * hour);
    const ended = await openEventStream(next.port, "/live", { cookie });
    await request(world.app).post("/logout").set("Cookie", cookie).expect(303);
    await ended.ended;
    await next.close();
    expect(await world.ctx.redis.exists(key)).toBe(0);
  });
});
