import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { vapidKeys } from "../../../../src/domain/push/endpoints.ts";
import { hiddenFields } from "../../../support/inspect/page.ts";
import { openApp, openPushScene, type PushScene } from "../../../push/push-scene.ts";

describe("the page of pushes", () => {
  let scene: PushScene;
  beforeAll(async () => {
    scene = await openPushScene();
  });
  afterAll(() => scene.close());

  it("without JavaScript the page says that it needs it, and offers only replies and mentions at first", async () => {
    const owner = await scene.world.newcomer("plain");
    const { text } = await owner.get("/settings/push").expect(200);
    expect(text).toMatch(/<p class="quiet" data-no-push>[^<]*it needs JavaScript/);
    expect(text).toMatch(/<form[^>]* data-push="[\w-]{87}"[^>]* hidden/);
    expect(text).toContain(vapidKeys(scene.world.ctx.config).publicKey);
    expect(boxes(text)).toEqual([
      "mention!",
      "follow",
      "follow_request",
      "poll",
      "favourite",
      "reblog",
      "status",
    ]);
    expect(text).toContain("None yet.");
  });

  it("a device is turned on, changed and removed, without JavaScript too", async () => {
    const owner = await scene.world.newcomer("owner");
    const other = scene.world.visitor("ja");
    await other.logIn("owner");
    await scene.turnOn(owner, ["mention", "favourite"], "followed");
    await scene.turnOn(other, ["follow"]);
    const phone = await openApp(scene, "owner");
    await phone.subscribe();
    const { text } = await owner.get("/settings/push").expect(200);
    expect(boxes(text)).toEqual([
      "mention!",
      "follow",
      "follow_request",
      "poll",
      "favourite!",
      "reblog",
      "status",
    ]);
    expect(text).toMatch(/value="followed" checked/);
    expect(text.match(/This device/g)).toHaveLength(1);
    expect(text).toContain("Replies and mentions, Likes");
    // Neither the session nor the token can be read from the page.
    for (const holder of await scene.holders("owner")) expect(text).not.toContain(holder);
    const change = { alerts: "reblog", policy: "all" };
    await owner.post("/settings/push/choice", change).expect(303);
    const changed = (await owner.get("/settings/push")).text;
    expect(boxes(changed)).toEqual([
      "mention",
      "follow",
      "follow_request",
      "poll",
      "favourite",
      "reblog!",
      "status",
    ]);
    const japanese = (await other.get("/settings/push")).text;
    expect(japanese).toContain("この端末のプッシュ通知");
    expect(boxes(japanese)).toEqual([
      "mention",
      "follow!",
      "follow_request",
      "poll",
      "favourite",
      "reblog",
      "status",
    ]);
    const remove = hiddenFields(changed, "/settings/push/remove");
    await owner.post("/settings/push/remove", remove).expect(303);
    await owner.post("/settings/push/remove", remove).expect(303);
    expect(await scene.holders("owner")).toHaveLength(2);
    expect((await owner.get("/settings/push")).text).toContain("data-push=");
    // A stranger's handle removes nothing.
    const stranger = await scene.world.newcomer("stranger");
    const theirs = hiddenFields(japanese, "/settings/push/remove");
    await stranger.post("/settings/push/remove", theirs).expect(303);
    expect(await scene.holders("owner")).toHaveLength(2);
    await stranger.post("/settings/push/choice", change).expect(404);
  });

  it("an address that cannot be used is refused with a sentence", async () => {
    const owner = await scene.world.newcomer("refused");
    const { keys } = scene.service.device();
    const fields = { endpoint: "https://10.0.0.1/", ...keys, alerts: "mention" };
    const { text } = await owner.post("/settings/push", fields).expect(422);
    expect(text).toMatch(/role="alert">Pushes can only be sent to an https address/);
    await owner.post("/settings/push", { alerts: "mention" }).expect(422);
    await owner.post("/settings/push", { ...fields, alerts: "nothing" }).expect(422);
    await scene.world.visitor().get("/settings/push").expect(303);
  });
});

/** The kinds that are offered; those with a tick have a "!". */
function boxes(page: string): string[] {
  return [...page.matchAll(/name="alerts" value="(\w+)"( checked)?/g)].map(([, name = "", on]) =>
    on === undefined ? name : `${name}!`,
  );
}
