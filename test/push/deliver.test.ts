import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { listSubscriptions } from "../../src/domain/push/subscriptions.ts";
import { vapidKeys } from "../../src/domain/push/endpoints.ts";
import { suspendUser } from "../../src/domain/users/suspension.ts";
import { keys } from "../../src/redis/keys.ts";
import { deliverPush } from "../../src/push/deliver.ts";
import { type PushDevice, readVapid } from "../support/actors/push-device.ts";
import type { Visitor } from "../support/actors/visitor.ts";
import { untilPushed } from "../support/world/push-service.ts";
import { openApp, openPushScene, type PushScene } from "./push-scene.ts";

describe("delivering pushes", () => {
  let scene: PushScene;
  beforeAll(async () => {
    scene = await openPushScene();
  });
  beforeEach(() => scene.service.answer(201));
  afterAll(() => scene.close());

  let persons = 0;
  const newcomer = async () => await scene.world.newcomer(`bird${(persons += 1)}`);
  it("an app gets the push that Mastodon would send, by the standard and by its draft", async () => {
    const [owner, fan] = [await newcomer(), await newcomer()];
    const phone = await openApp(scene, owner.name);
    const older = await openApp(scene, owner.name);
    await phone.subscribe();
    await older.subscribe({ standard: false });
    await fan.follow(owner.name);
    await fan.tweet(`hello "@${owner.name}" <b>`);
    const [follow, mention] = (await scene.service.textsOf(phone.device, 2)).toSorted((a, b) =>
      String(a["notification_type"]).localeCompare(String(b["notification_type"])),
    );
    expect(follow).toEqual({
      access_token: phone.app.token,
      preferred_locale: "en",
      notification_id: expect.any(Number),
      notification_type: "follow",
      icon: "https://suzume.example/icon-192.png",
      title: `Test ${fan.name} followed you`,
      body: `@${fan.name}`,
    });
    expect(mention).toMatchObject({
      notification_type: "mention",
      title: `Test ${fan.name} mentioned you`,
      body: `hello "@${owner.name}" <b>`,
    });
    const legacy = await scene.service.textsOf(older.device, 2);
    expect(legacy.map((one) => one["access_token"])).toEqual([older.app.token, older.app.token]);
    const { publicKey } = vapidKeys(scene.world.ctx.config);
    for (const push of scene.service.arrived.filter(({ path }) =>
      [phone, older].some(({ device }) => device.endpoint.endsWith(path)),
    )) {
      const claims = readVapid(push, publicKey);
      expect(claims).toMatchObject({ aud: scene.service.url, sub: "mailto:host@example.org" });
      expect(Number(claims["exp"]) * 1000 - Date.now()).toBeLessThan(24 * 3_600_000);
      expect(() => readVapid(push, scene.service.device().keys.p256dh)).toThrow("another one's");
      expect(push.headers).toMatchObject({ ttl: "172800", urgency: "normal" });
    }
    expect(
      new Set(scene.service.arrived.map(({ headers }) => headers["content-encoding"])),
    ).toEqual(new Set(["aes128gcm", "aesgcm"]));
    // The id of the notification in the API, to the last digit.
    const list = (await phone.app.get("/api/v1/notifications").expect(200)).text;
    const sent = scene.service.arrived
      .filter(({ path }) => phone.device.endpoint.endsWith(path))
      .map((push) => /"notification_id":(\d+)/.exec(phone.device.decrypt(push))?.[1]);
    for (const name of sent) expect(list).toContain(`"id":"${name}"`);
  });

  it("a push about a tweet with a content warning shows the warning", async () => {
    const [owner, fan] = [await newcomer(), await newcomer()];
    const phone = await openApp(scene, owner.name);
    await phone.subscribe();
    await fan.post("/tweets", { text: `@${owner.name} the butler`, warning: "The end" });
    expect(await scene.service.textsOf(phone.device, 1)).toMatchObject([{ body: "The end" }]);
  });

  it("alerts and policy choose what is pushed", async () => {
    const [owner, followed, follower] = [await newcomer(), await newcomer(), await newcomer()];
    await owner.follow(followed.name);
    await follower.follow(owner.name);
    const browsers: Visitor[] = [];
    for (let nth = 0; nth < 4; nth += 1) {
      const browser = scene.world.visitor();
      await browser.logIn(owner.name);
      browsers.push(browser);
    }
    const [one, two, three, four] = browsers as [Visitor, Visitor, Visitor, Visitor];
    const byFollowed = await scene.turnOn(one, ["mention"], "followed");
    const byFollower = await scene.turnOn(two, ["mention"], "follower");
    const ofNone = await scene.turnOn(three, ["mention"], "none");
    const ofFollows = await scene.turnOn(four, ["follow"]);
    await followed.tweet(`@${owner.name} from the followed`);
    await follower.tweet(`@${owner.name} from the follower`);
    await untilPushed(scene.world);
    const bodies = (device: PushDevice) => scene.service.texts(device).map(({ body }) => body);
    expect(bodies(byFollowed)).toEqual([`@${owner.name} from the followed`]);
    expect(bodies(byFollower)).toEqual([`@${owner.name} from the follower`]);
    expect([bodies(ofNone), bodies(ofFollows)]).toEqual([[], []]);
  });

  it("nothing is pushed of muted or blocked users, of muted words, of withdrawn acts, or to suspended users", async () => {
    const [owner, other, calm] = [await newcomer(), await newcomer(), await newcomer()];
    const device = await scene.turnOn(owner);
    const work = await scene.actOn(owner.name, other.name);
    const { ctx } = scene.world;
    for (const verb of ["mute", "block"]) {
      await owner.post(`/@${other.name}/${verb}`).expect(303);
      await deliverPush(ctx, work, true);
      await owner.post(`/@${other.name}/un${verb}`).expect(303);
    }
    await deliverPush(ctx, { ...work, activity: "follow::999" }, true);
    await owner.post("/settings/muted", { word: "storm", duration: "1" }).expect(303);
    await calm.tweet(`@${owner.name} a storm is coming`);
    await untilPushed(scene.world);
    expect(scene.titlesAt(device)).toEqual([]);
    await deliverPush(ctx, work, true);
    expect(scene.titlesAt(device)).toEqual([`Test ${other.name} followed you`]);
    const next = await scene.actOn(owner.name, calm.name);
    await suspendUser(ctx, await scene.userOf(owner.name));
    await deliverPush(ctx, next, true);
    expect(scene.titlesAt(device)).toHaveLength(1);
  });

  it("a push is sent at most once, though its job runs twice or its answer is lost", async () => {
    const [owner, other, third] = [await newcomer(), await newcomer(), await newcomer()];
    const device = await scene.turnOn(owner);
    const { ctx } = scene.world;
    const work = await scene.actOn(owner.name, other.name);
    const { to, activity } = work;
    // A job that was promised before version 0.2 has the activity under its former name.
    await Promise.all(
      [work, work, { to, act: activity }].map((one) => deliverPush(ctx, one, false)),
    );
    await deliverPush(ctx, work, false);
    expect(scene.titlesAt(device)).toHaveLength(1);
    // The service has read it, and does not answer: it may have been taken.
    scene.service.answer(0);
    const lost = await scene.actOn(owner.name, third.name);
    await deliverPush(ctx, lost, false);
    scene.service.answer(201);
    await deliverPush(ctx, lost, false);
    expect(scene.titlesAt(device)).toHaveLength(2);
  });

  it("a push service that asks to wait gets the push again, and the others do not", async () => {
    const [owner, other] = [await newcomer(), await newcomer()];
    const device = await scene.turnOn(owner);
    const phone = await openApp(scene, owner.name);
    const work = await scene.actOn(owner.name, other.name);
    const { ctx } = scene.world;
    for (const status of [503, 429]) {
      scene.service.answer(status);
      await expect(deliverPush(ctx, work, false)).rejects.toThrow("asks to wait");
    }
    // No dead letter: the address is a user's choice.
    await deliverPush(ctx, work, true);
    scene.service.answer(201);
    scene.world.pass(60_000);
    await phone.subscribe();
    await deliverPush(ctx, work, false);
    await deliverPush(ctx, work, false);
    expect(scene.titlesAt(device)).toHaveLength(4);
    expect(scene.titlesAt(phone.device)).toHaveLength(1);
  });

  it("subscriptions that are gone, and those that have failed for days, are dropped", async () => {
    const owner = await newcomer();
    const { ctx } = scene.world;
    for (const status of [404, 410]) {
      await scene.turnOn(owner);
      expect(await scene.holders(owner.name)).toHaveLength(1);
      scene.service.answer(status);
      await deliverPush(ctx, await scene.actOn(owner.name, (await newcomer()).name), false);
      expect(await scene.holders(owner.name)).toEqual([]);
      scene.service.answer(201);
    }
    const device = await scene.turnOn(owner);
    const { id } = await scene.userOf(owner.name);
    const fail = async (times: number) => {
      for (let nth = 0; nth < times; nth += 1) {
        await deliverPush(ctx, await scene.actOn(owner.name, (await newcomer()).name), true);
        // The longest pause.
        scene.world.pass(10 * 60_000);
      }
    };
    scene.service.answer(403);
    await fail(4);
    scene.service.answer(201);
    await fail(1);
    const [healed] = await listSubscriptions(ctx, await scene.userOf(owner.name));
    expect(healed).toMatchObject({ endpoint: device.endpoint, failing: undefined });
    scene.service.answer(307);
    await fail(4);
    scene.world.pass(3 * 24 * 3_600_000 + 1);
    expect(await ctx.redis.hlen(keys.push(id))).toBe(1);
    await fail(1);
    expect(await ctx.redis.hlen(keys.push(id))).toBe(0);
    // Redirects are not followed.
    expect(scene.service.arrived.map(({ path }) => path)).not.toContain("/elsewhere");
  });

  it("an old notification, and one that was read, is not pushed", async () => {
    const [owner, other] = [await newcomer(), await newcomer()];
    const device = await scene.turnOn(owner);
    const work = await scene.actOn(owner.name, other.name);
    scene.world.pass(4 * 3_600_000 + 1);
    await deliverPush(scene.world.ctx, work, true);
    const third = await newcomer();
    const read = await scene.actOn(owner.name, third.name);
    await owner.get("/notifications").expect(200);
    await deliverPush(scene.world.ctx, read, true);
    expect(scene.titlesAt(device)).toEqual([]);
  });
});
