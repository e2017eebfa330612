import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Jobs } from "../../../src/context.ts";
import { reconcileUpload, takeBackUpload } from "../../../src/domain/actions/attach-pictures.ts";
import { changeDraft, saveDraft } from "../../../src/domain/actions/save-draft.ts";
import { prepareUpload } from "../../../src/domain/pictures/prepare-upload.ts";
import { addUpload } from "../../../src/domain/pictures/uploads.ts";
import { keys } from "../../../src/redis/keys.ts";
import { newPerson } from "../../support/actors/people.ts";
import { picture } from "../../support/data/pictures.ts";
import { storedFiles } from "../../support/inspect/stored-files.ts";
import { endingAfter, pausingBefore, untilEnded } from "../../support/world/ending-process.ts";
import { createWorld, type World } from "../../support/world/world.ts";

const day = 24 * 60 * 60 * 1000;

describe("a draft that loses a picture", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  it("a draft that is saved with it while an app takes it back keeps its picture", async () => {
    const { ctx } = world;
    const user = await newPerson(ctx);
    const upload = await addUpload(ctx, user, { bytes: await picture("png"), description: "" });
    await prepareUpload(ctx, { user, upload });
    const files = await storedFiles(ctx, user);
    const save = () => saveDraft(ctx, user, { text: "shown", pictures: [upload] });
    const meanwhile = pausingBefore(ctx, ["hexists"], save);
    await expect(takeBackUpload(meanwhile, { user, upload })).rejects.toMatchObject({
      problems: { pictures: "picture.used" },
    });
    expect(await storedFiles(ctx, user)).toEqual(files);
  });

  it("no file of the picture stays, wherever the process ended", async () => {
    const { ctx } = world;
    const bytes = await picture("png");
    const done = { whole: false };
    for (let commands = 0; !done.whole; commands += 1) {
      const user = await newPerson(ctx);
      const upload = await addUpload(ctx, user, { bytes, description: "" });
      await prepareUpload(ctx, { user, upload });
      const draft = await saveDraft(ctx, user, { text: "with a picture", pictures: [upload] });
      // As after a day: the draft alone has the picture.
      await ctx.redis.del(keys.uploads(user));
      let isPromised = false;
      const jobs: Jobs = {
        ...ctx.jobs,
        chore: async (name) => void (isPromised ||= name === "reconcile-upload"),
      };
      const ending = endingAfter({ ...ctx, jobs }, commands);
      const change = changeDraft(ending, user, draft.id, { text: "without" });
      await untilEnded(change.then(() => void (done.whole = true)));
      world.pass(2 * day);
      if (isPromised) await reconcileUpload(ctx, { user, upload });
      const kept = (await ctx.redis.hget(keys.savedDrafts(user), draft.id)) ?? "";
      const files = await storedFiles(ctx, user);
      expect([commands, files.length > 0]).toEqual([commands, kept.includes(upload)]);
    }
  });
});
