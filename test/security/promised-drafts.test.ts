import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Ctx } from "../../src/context.ts";
import { saveDraft } from "../../src/domain/actions/save-draft.ts";
import { sendDueDrafts } from "../../src/domain/actions/send-draft.ts";
import { draftsOf } from "../../src/domain/tweets/saved-drafts.ts";
import { localTime } from "../../src/domain/users/time-zone.ts";
import { ApiClient } from "../support/actors/api-client.ts";
import { postedBy } from "../support/actors/author.ts";
import type { Visitor } from "../support/actors/visitor.ts";
import { farEndings, giveNewPassword, RightsScene } from "../support/world/rights-scene.ts";
import type { World } from "../support/world/world.ts";

const minute = 60 * 1000;
const hour = 60 * minute;
const loggedOut = "has been logged out since";
const scheduledPath = "/api/v1/scheduled_statuses";

describe("drafts that outlast a right", () => {
  let scene: RightsScene;
  let world: World;
  let ctx: Ctx;
  beforeAll(async () => {
    scene = await RightsScene.create();
    ({ world, ctx } = scene);
  });
  afterAll(() => scene.world.close());

  const schedule = async (visitor: Visitor, path: string, ahead: number) => {
    const when = localTime(ctx.now() + ahead, "UTC");
    await visitor.post(path, { text: "later", when, do: "schedule" }).expect(303);
  };
  /** An author with a tweet that is sent in two minutes. */
  const scheduling = async () => {
    const { visitor, user } = await scene.newUser();
    const { id } = await saveDraft(ctx, user.id, { text: "later" });
    const path = `/drafts/${id}`;
    await schedule(visitor, path, 2 * minute);
    return { visitor, user, id, path };
  };
  const later = async () => {
    world.pass(2 * minute);
    await sendDueDrafts(ctx);
  };

  it.each(farEndings)(
    "a scheduled tweet is not posted after %s, and waits for its author in the drafts",
    async (ending) => {
      const { user, path } = await scheduling();
      const back = await scene.end(ending, user);
      const list = async () => (await back.get("/drafts").expect(200)).text;
      expect(await list()).toContain(loggedOut);
      expect(await list()).not.toContain("Will be sent");
      expect((await back.get(path).expect(200)).text).toContain(loggedOut);
      await later();
      expect(await postedBy(ctx, user)).toEqual([]);
      expect(await list()).toContain(loggedOut);
      await schedule(back, path, 2 * minute);
      expect(await list()).not.toContain(loggedOut);
      expect(await list()).toContain("Will be sent");
      await later();
      expect(await postedBy(ctx, user)).toEqual(["later"]);
    },
  );

  it("a draft that waits is scheduled again by one button, with the time that it had", async () => {
    const { user, path } = await scheduling();
    const owner = await scene.another(user);
    await owner.post("/settings/sessions").expect(303);
    const { text } = await owner.get(path).expect(200);
    const [, when = ""] = /name="when"[^>]* value="([^"]+)"/.exec(text) ?? [];
    await owner.post(path, { text: "later", when, do: "schedule" }).expect(303);
    await later();
    expect(await postedBy(ctx, user)).toEqual(["later"]);
  });

  it("a status that an app scheduled is not posted after the end of its access, and leaves its list", async () => {
    const { visitor, user } = await scene.newUser();
    const status = { status: "later", scheduled_at: new Date(ctx.now() + hour).toISOString() };
    const app = await ApiClient.of(world, user.name);
    const { body } = await app.post("/api/v1/statuses", status).expect(200);
    await visitor.post("/settings/apps", { app: "a".repeat(32) }).expect(303);
    const again = await ApiClient.of(world, user.name);
    expect((await again.get(scheduledPath).expect(200)).body).toEqual([]);
    await again.get(`${scheduledPath}/${body.id}`).expect(404);
    expect((await visitor.get("/drafts").expect(200)).text).toContain(loggedOut);
    world.pass(hour);
    await later();
    expect(await postedBy(ctx, user)).toEqual([]);
    await visitor.post(`/drafts/${body.id}/send`).expect(303);
    expect(await postedBy(ctx, user)).toEqual(["later"]);
  });

  it("a status that an app gives another time goes on by the right of that app", async () => {
    const { visitor, user, id } = await scheduling();
    const app = await ApiClient.of(world, user.name);
    const scheduled_at = new Date(ctx.now() + hour).toISOString();
    await app.send("put", `${scheduledPath}/${id}`).send({ scheduled_at }).expect(200);
    await (await scene.another(user)).post("/settings/sessions").expect(303);
    await visitor.get("/drafts").expect(303);
    world.pass(hour);
    await later();
    expect(await postedBy(ctx, user)).toEqual(["later"]);
  });

  it.each(["logs out", "logs the others out"])(
    "a scheduled tweet is posted when the device that scheduled it %s",
    async (ending) => {
      const { visitor, user } = await scheduling();
      await scene.another(user);
      await visitor.post(ending === "logs out" ? "/logout" : "/settings/sessions").expect(303);
      await later();
      expect(await postedBy(ctx, user)).toEqual(["later"]);
    },
  );

  it("a scheduled tweet of a former version is posted after a new password", async () => {
    const { user, id } = await scheduling();
    await draftsOf(ctx, user.id).change(id, (draft) => ({ ...draft, right: undefined }));
    await giveNewPassword(ctx, user);
    await later();
    expect(await postedBy(ctx, user)).toEqual(["later"]);
  });
});
