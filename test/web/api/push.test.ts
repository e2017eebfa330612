import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { vapidKeys } from "../../../src/domain/push/endpoints.ts";
import { connectApp } from "../../stories/mastodon-client.ts";
import { ApiClient } from "../../support/actors/api-client.ts";
import { PushDevice } from "../../support/actors/push-device.ts";
import { createWorld, type World } from "../../support/world/world.ts";
import { listen } from "../../../src/web/server/listen.ts";

describe("push subscriptions of apps", () => {
  let world: World;
  const device = new PushDevice("https://push.example.org/send/1?x=y");
  const subscription = { endpoint: device.endpoint, keys: device.keys };
  beforeAll(async () => {
    world = await createWorld();
    await world.newcomer("bird");
  });
  afterAll(() => world.close());

  it("masto subscribes, reads, changes and ends its subscription", async () => {
    const server = await listen(world.app, { ...world.ctx.config, port: 0, host: "127.0.0.1" });
    const { publicKey } = vapidKeys(world.ctx.config);
    const connected = await connectApp(server.url, await world.newcomer("masto"));
    expect(connected.app.vapidKey).toBe(publicKey);
    const { rest } = connected;
    const instance = await rest.v2.instance.fetch();
    expect(instance.configuration).toMatchObject({ vapid: { publicKey } });
    const push = rest.v1.push.subscription;
    await expect(push.fetch()).rejects.toMatchObject({ statusCode: 404 });
    const made = await push.create({
      subscription,
      data: { alerts: { follow: true, mention: true } },
      policy: "followed",
    });
    expect(made).toMatchObject({
      endpoint: device.endpoint,
      serverKey: publicKey,
      policy: "followed",
      alerts: { follow: true, mention: true, favourite: false, reblog: false, poll: false },
    });
    expect(await push.fetch()).toEqual(made);
    // Apps read a number of 32 bits.
    expect(Number.isInteger(made.id) && Number(made.id) < 2 ** 31).toBe(true);
    const changed = await push.update({ data: { alerts: { reblog: true } } });
    expect(changed).toMatchObject({
      id: made.id,
      policy: "followed",
      alerts: { follow: false, mention: false, reblog: true },
    });
    await push.remove();
    await expect(push.fetch()).rejects.toMatchObject({ statusCode: 404 });
    await server.close();
  });

  it("only public https addresses, and keys of a device, are accepted", async () => {
    const app = await ApiClient.of(world, "bird", "push");
    const post = async (change: object) => {
      const { body, status } = await app.post("/api/v1/push/subscription", {
        subscription: { ...subscription, ...change },
      });
      return { status, details: Object.keys((body as { details?: object }).details ?? {}) };
    };
    for (const endpoint of [
      "http://push.example.org/send",
      "ftp://push.example.org/send",
      "https://user:pass@push.example.org/",
      "https://127.0.0.1/",
      "https://2130706433/",
      "https://0x7f.1/",
      "https://10.1.2.3/",
      "https://172.20.0.1/",
      "https://192.168.1.1:8443/",
      "https://169.254.169.254/latest/meta-data",
      "https://100.64.0.1/",
      "https://0.0.0.0/",
      "https://[::1]/",
      "https://[::ffff:127.0.0.1]/",
      "https://[fd00::1]/",
      "https://[fe80::1]/",
      "https://[64:ff9b::7f00:1]/",
      "https://localhost/",
      "https://redis.internal./",
      `https://push.example.org/${"x".repeat(2000)}`,
      "no address",
    ])
      expect([endpoint, await post({ endpoint })]).toEqual([
        endpoint,
        { status: 422, details: ["subscription[endpoint]"] },
      ]);
    const { p256dh, auth } = device.keys;
    const [noPoint, short] = [Buffer.alloc(65, 4), Buffer.alloc(15)];
    for (const key of [noPoint.toString("base64url"), p256dh.slice(0, -4), ""])
      expect((await post({ keys: { auth, p256dh: key } })).details).toEqual([
        "subscription[keys][p256dh]",
      ]);
    const details = ["subscription[keys][auth]"];
    const keys = { p256dh, auth: short.toString("base64url") };
    expect(await post({ keys })).toEqual({ status: 422, details });
    expect((await post({ endpoint: "https://8.8.8.8/send" })).status).toBe(200);
    expect((await post({ endpoint: "https://[2606:4700::1111]/send" })).status).toBe(200);
  });

  it("a token without the scope has no subscription, and two tokens have two", async () => {
    const [one, two] = [
      await ApiClient.of(world, "bird", "push"),
      await ApiClient.of(world, "bird", "read write follow push"),
    ];
    const none = await ApiClient.of(world, "bird", "read write follow");
    await none.post("/api/v1/push/subscription", { subscription }).expect(403);
    await one.post("/api/v1/push/subscription", { subscription }).expect(200);
    await two.get("/api/v1/push/subscription").expect(404);
    await two.send("put", "/api/v1/push/subscription").send({ policy: "all" }).expect(404);
    await two.delete("/api/v1/push/subscription").expect(200, {});
    const { body } = await one.get("/api/v1/push/subscription").expect(200);
    expect(body).toMatchObject({ standard: false, policy: "all" });
  });
});
