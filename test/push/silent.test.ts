import { createServer, type AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { listSubscriptions, noteFailing } from "../../src/domain/push/subscriptions.ts";
import { deliverPush } from "../../src/push/deliver.ts";
import { sendPush } from "../../src/push/transport.ts";
import { openApp, openPushScene, type PushScene } from "./push-scene.ts";

describe("push services that are silent or fail", () => {
  let scene: PushScene;
  beforeAll(async () => {
    scene = await openPushScene();
  });
  beforeEach(() => scene.service.answer(201));
  afterAll(() => scene.close());

  const subscriptionOf = async (name: string) => {
    const [one] = await listSubscriptions(scene.world.ctx, await scene.userOf(name));
    if (one === undefined) throw new Error("no subscription");
    return one;
  };
  let persons = 0;
  /** Of a new follower. */
  const push = async (to: string) => {
    const { name } = await scene.world.newcomer(`fan${(persons += 1)}`);
    const work = await scene.actOn(to, name);
    return async () => await deliverPush(scene.world.ctx, work, false).catch(() => "waits");
  };

  it("a service that accepts the connection and stays silent gets no other try", async () => {
    const { ctx } = scene.world;
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const { port } = silent.address() as AddressInfo;
    const owner = await scene.world.newcomer("silent");
    await scene.turnOn(owner);
    const one = await subscriptionOf(owner.name);
    const outcomes = ["http", "https"].map((protocol) =>
      sendPush(ctx, { ...one, endpoint: `${protocol}://127.0.0.1:${port}/` }, "x"),
    );
    expect(await Promise.all(outcomes)).toEqual(["unknown", "unknown"]);
    silent.close();
  });

  it("a failing subscription waits longer with each failure, though its app subscribes again", async () => {
    const owner = await scene.world.newcomer("failing");
    const phone = await openApp(scene, owner.name);
    await phone.subscribe();
    const tries = () => scene.titlesAt(phone.device).length;
    const send = await push(owner.name);
    scene.service.answer(503);
    for (let nth = 1; nth <= 3; nth += 1) expect([await send(), tries()]).toEqual(["waits", nth]);
    expect([await send(), tries()]).toEqual(["waits", 3]);
    await phone.subscribe();
    expect([await send(), tries()]).toEqual(["waits", 3]);
    scene.world.pass(41_000);
    expect([await send(), tries()]).toEqual(["waits", 4]);
    scene.world.pass(41_000);
    expect([await send(), tries()]).toEqual(["waits", 4]);
    scene.service.answer(201);
    scene.world.pass(41_000);
    expect([await send(), tries()]).toEqual([undefined, 5]);
    expect((await subscriptionOf(owner.name)).failing).toBeUndefined();
    // Another address is another device.
    scene.service.answer(503);
    await (
      await push(owner.name)
    )();
    expect((await subscriptionOf(owner.name)).failing).toMatchObject({ times: 1 });
    const { endpoint, keys } = scene.service.device();
    await phone.subscribe({ subscription: { endpoint, keys } });
    expect((await subscriptionOf(owner.name)).failing).toBeUndefined();
  });

  it("pushes to a failing subscription go one by one", async () => {
    const owner = await scene.world.newcomer("onebyone");
    const phone = await openApp(scene, owner.name);
    await phone.subscribe();
    // As it was noted before failures had the time of the last try.
    const failing = { since: scene.world.ctx.now(), times: 4 };
    const user = await scene.userOf(owner.name);
    await noteFailing(scene.world.ctx, user, await subscriptionOf(owner.name), failing);
    const sends = [await push(owner.name), await push(owner.name), await push(owner.name)];
    scene.service.answer(403);
    const answers = await Promise.all(sends.map((send) => send()));
    expect(answers.filter((one) => one === "waits")).toHaveLength(2);
    expect(scene.titlesAt(phone.device)).toHaveLength(1);
    expect(await subscriptionOf(owner.name)).toMatchObject({ failing: { times: 5 } });
  });
});
