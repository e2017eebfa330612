import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Ctx } from "../../src/context.ts";
import { changeDraft, saveDraft } from "../../src/domain/actions/save-draft.ts";
import { sendDraft, sendDueDrafts } from "../../src/domain/actions/send-draft.ts";
import type { DraftId } from "../../src/domain/ids.ts";
import type { Picture } from "../../src/domain/pictures/picture.ts";
import { newUploadId, noteShown } from "../../src/domain/pictures/uploads.ts";
import type { User } from "../../src/domain/users/store.ts";
import { ApiClient } from "../support/actors/api-client.ts";
import { postedBy } from "../support/actors/author.ts";
import type { Visitor } from "../support/actors/visitor.ts";
import { endingAfter, untilEnded } from "../support/world/ending-process.ts";
import { giveNewPassword, RightsScene } from "../support/world/rights-scene.ts";

const hour = 60 * 60 * 1000;
const file = { file: "a.webp", width: 1, height: 1 };

describe("a draft that waits, as the right that promised it has ended", () => {
  let scene: RightsScene;
  let ctx: Ctx;
  beforeAll(async () => {
    scene = await RightsScene.create();
    ({ ctx } = scene);
  });
  afterAll(() => scene.world.close());

  it("a draft is changed and sent with its picture, at whichever command its process ended", async () => {
    let isLast = false;
    for (let commands = 0; !isLast; commands += 1) {
      const { user } = await scene.newUser();
      const id = newUploadId();
      const one: Picture = { id, small: file, large: file, blur: "", hash: "", description: "" };
      await noteShown(ctx, user.id, [one]);
      const draft = await saveDraft(ctx, user.id, { text: "later", pictures: [id] });
      const sent = sendDraft(endingAfter(ctx, commands), user.id, draft.id);
      let isDone = false;
      await untilEnded(sent.then(() => void (isDone = true)));
      isLast = isDone;
      await giveNewPassword(ctx, user);
      await sendDueDrafts(ctx);
      if ((await postedBy(ctx, user)).length > 0) continue;
      await changeDraft(ctx, user.id, draft.id, { text: "changed", pictures: [id] });
      await sendDraft(ctx, user.id, draft.id);
      expect(await postedBy(ctx, user)).toEqual(["changed"]);
    }
  });

  const schedule = async (user: User, at: number) => {
    const app = await ApiClient.of(scene.world, user.name);
    const status = { status: "later", scheduled_at: new Date(at).toISOString() };
    return await app.post("/api/v1/statuses", status).set("Idempotency-Key", "once");
  };
  const endings: Record<string, (user: User, owner: Visitor) => Promise<unknown>> = {
    "a new password": (user) => giveNewPassword(ctx, user),
    "the end of its access": (_, owner) =>
      owner.post("/settings/apps", { app: "a".repeat(32) }).expect(303),
  };

  it.each(Object.keys(endings))(
    "a status that an app schedules again after %s, with the same key, is posted once",
    async (ending) => {
      const { visitor, user } = await scene.newUser();
      const at = ctx.now() + hour;
      const { body: before } = await schedule(user, at);
      await endings[ending]?.(user, visitor);
      const { body: after } = await schedule(user, at);
      expect(after).toEqual(before);
      scene.world.pass(hour);
      await sendDueDrafts(ctx);
      expect(await postedBy(ctx, user)).toEqual(["later"]);
    },
  );

  it("a status that its author does not want at a time any more is not answered as scheduled", async () => {
    const { user } = await scene.newUser();
    const at = ctx.now() + hour;
    const { body } = await schedule(user, at);
    await changeDraft(ctx, user.id, (body as { id: DraftId }).id, { text: "not yet" });
    expect((await schedule(user, at)).status).toBe(404);
  });
});
