import { afterAll, beforeAll, expect, it } from "vitest";
import { openPushScene, type PushScene } from "./push-scene.ts";

let scene: PushScene;
beforeAll(async () => {
  scene = await openPushScene();
});
afterAll(() => scene.close());

it("a request to follow is pushed, and leads a browser to the answers", async () => {
  const owner = await scene.world.newcomer("owner");
  const fan = await scene.world.newcomer("fan");
  const choices = { audience: "public", repliesFrom: "everyone", messagesFrom: "everyone" };
  await owner.post("/settings/privacy", { ...choices, protected: "on" }).expect(303);
  const device = await scene.turnOn(owner, ["follow_request"]);
  await fan.follow("owner");
  expect(await scene.service.textsOf(device, 1)).toMatchObject([
    {
      notification_type: "follow_request",
      title: "Test fan asks to follow you",
      path: "/follow-requests",
    },
  ]);
});
