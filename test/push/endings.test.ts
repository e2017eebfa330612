import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listSubscriptions } from "../../src/domain/push/subscriptions.ts";
import { keys } from "../../src/redis/keys.ts";
import { TestApp } from "../support/actors/test-app.ts";
import { password } from "../support/actors/visitor.ts";
import { untilPushed } from "../support/world/push-service.ts";
import { closeChecked } from "../support/world/doctor.ts";
import { openApp, openPushScene, type PushScene } from "./push-scene.ts";

describe("the end of a push subscription", () => {
  let scene: PushScene;
  beforeAll(async () => {
    scene = await openPushScene();
  });
  afterAll(async () => {
    await scene.service.close();
    await closeChecked(scene.world);
  });

  it("logging out ends the pushes of a browser, and of all others from far", async () => {
    const { world } = scene;
    const here = await world.newcomer("loggedout");
    const fan = await world.newcomer("fan1");
    const there = world.visitor();
    await there.logIn("loggedout");
    const devices = [await scene.turnOn(here), await scene.turnOn(there)];
    expect(await scene.holders("loggedout")).toHaveLength(2);
    await here.post("/settings/sessions").expect(303);
    expect(await scene.holders("loggedout")).toHaveLength(1);
    await here.post("/logout").expect(303);
    expect(await scene.holders("loggedout")).toEqual([]);
    await fan.follow("loggedout");
    await untilPushed(world);
    expect(devices.flatMap((device) => scene.service.texts(device))).toEqual([]);
  });

  it("revoking a token ends its pushes, by the app and by its user", async () => {
    const { world } = scene;
    const owner = await world.newcomer("revoker");
    const app = await TestApp.register(world, { scopes: "read push" });
    const subscribe = async () => {
      const token = await app.tokenFrom(owner, { scope: "read push" });
      const device = scene.service.device();
      const { p256dh, auth } = device.keys;
      await owner.agent
        .post("/api/v1/push/subscription")
        .set("Authorization", `Bearer ${token}`)
        .type("form")
        .send({
          "subscription[endpoint]": device.endpoint,
          "subscription[keys][p256dh]": p256dh,
          "subscription[keys][auth]": auth,
          "data[alerts][follow]": "true",
        })
        .expect(200);
      return token;
    };
    const token = await subscribe();
    expect(await scene.holders("revoker")).toHaveLength(1);
    expect((await app.revoke(token)).status).toBe(200);
    expect(await scene.holders("revoker")).toEqual([]);
    await subscribe();
    await owner.post("/settings/apps", { app: app.client }).expect(303);
    expect(await scene.holders("revoker")).toEqual([]);
  });

  it("a new password ends all pushes", async () => {
    const { world } = scene;
    const owner = await world.newcomer("changer");
    await scene.turnOn(owner);
    await (await openApp(scene, "changer")).subscribe();
    expect(await scene.holders("changer")).toHaveLength(2);
    const next = "another horse 43";
    const fields = { current_password: password, new_password: next };
    await owner.post("/settings/account", fields).expect(303);
    expect(await scene.holders("changer")).toEqual([]);
  });

  it("a subscription whose session or token ended by itself is not used and is removed", async () => {
    const { world } = scene;
    const owner = await world.newcomer("idler");
    await scene.turnOn(owner);
    await (await openApp(scene, "idler")).subscribe();
    const user = await scene.userOf("idler");
    const { redis } = world.ctx;
    const [session = ""] = await redis.zrange(keys.sessions(user.id), 0, "-1");
    await redis.del(keys.sessionPrefix + session);
    await redis.del(keys.tokens(user.id));
    expect(await redis.hlen(keys.push(user.id))).toBe(2);
    expect(await listSubscriptions(world.ctx, user)).toEqual([]);
    expect(await redis.exists(keys.push(user.id))).toBe(0);
  });

  it("another SESSION_SECRET ends all pushes, and no key leaves its database", async () => {
    const { world } = scene;
    const owner = await world.newcomer("sealed");
    const device = await scene.turnOn(owner);
    const user = await scene.userOf("sealed");
    const stored = await world.ctx.redis.hvals(keys.push(user.id));
    expect(stored.join()).not.toContain(device.endpoint);
    expect(stored.join()).not.toContain(device.keys.auth);
    const elsewhere = {
      ...world.ctx,
      config: { ...world.ctx.config, sessionSecret: "another secret of more than 32 characters" },
    };
    expect(await listSubscriptions(elsewhere, user)).toEqual([]);
  });

  it("an account keeps its 25 newest subscriptions, and an erased one none", async () => {
    const { world } = scene;
    const owner = await world.newcomer("collector");
    const first = await openApp(scene, "collector");
    await first.subscribe();
    for (let nth = 0; nth < 25; nth += 1) {
      world.pass(1);
      await (await openApp(scene, "collector")).subscribe();
    }
    expect(await scene.holders("collector")).toHaveLength(25);
    await first.app.get("/api/v1/push/subscription").expect(404);
    const { id } = await scene.userOf("collector");
    await owner.post("/settings/account/delete", { name: "collector", password }).expect(303);
    await expect.poll(async () => await world.ctx.redis.exists(keys.push(id))).toBe(0);
  });
});
