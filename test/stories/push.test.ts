import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { vapidKeys } from "../../src/domain/push/endpoints.ts";
import { openPushScene, type PushScene } from "../push/push-scene.ts";
import { type ArrivedPush, readVapid } from "../support/actors/push-device.ts";
import { untilPushed } from "../support/world/push-service.ts";
import { closeChecked } from "../support/world/doctor.ts";

describe("a push from one account to another", () => {
  let scene: PushScene;
  beforeAll(async () => {
    scene = await openPushScene();
  });
  afterAll(async () => {
    await closeChecked(scene.world);
    await scene.service.close();
  });

  it("a like arrives on a phone that is locked, in its language, leads to the tweet, and ends with the log-out", async () => {
    const { world, service } = scene;
    const owner = await world.newcomer("owner", "ja");
    const [fan, other] = [await world.newcomer("fan"), await world.newcomer("other")];
    await owner.post("/language", { language: "ja", next: "/" }).expect(303);
    await owner.tweet("雀がいます");
    await world.delivered();
    const [tweet] = await fan.see("/@owner");
    const phone = await scene.turnOn(owner, ["favourite"]);

    await fan.post(`/tweets/${tweet?.id}/like`).expect(303);
    const [push] = await service.textsOf(phone, 1);
    expect(push).toMatchObject({
      notification_type: "favourite",
      preferred_locale: "ja",
      title: "Test fanさんがあなたのツイートにいいねしました",
      body: "雀がいます",
      path: `/tweets/${tweet?.id}`,
    });
    expect(push).not.toHaveProperty("access_token");
    expect((await owner.get(String(push?.["path"])).expect(200)).text).toContain("雀がいます");
    const claims = readVapid(
      service.arrived[0] as ArrivedPush,
      vapidKeys(world.ctx.config).publicKey,
    );
    expect(claims["aud"]).toBe(service.url);

    // Taken back and given again: no second push.
    await fan.post(`/tweets/${tweet?.id}/unlike`).expect(303);
    await fan.post(`/tweets/${tweet?.id}/like`).expect(303);
    await fan.follow("owner");
    await untilPushed(world);
    expect(scene.titlesAt(phone)).toHaveLength(1);

    await owner.post("/logout").expect(303);
    await other.post(`/tweets/${tweet?.id}/like`).expect(303);
    await untilPushed(world);
    expect(scene.titlesAt(phone)).toHaveLength(1);
  });
});
