import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Ctx } from "../../../src/context.ts";
import { editTweet } from "../../../src/domain/actions/edit-tweet.ts";
import { postTweet } from "../../../src/domain/actions/post-tweet.ts";
import { saveDraft } from "../../../src/domain/actions/save-draft.ts";
import type { UploadId, UserId } from "../../../src/domain/ids.ts";
import { describeUpload, newUploadId, noteShown } from "../../../src/domain/pictures/uploads.ts";
import { listDrafts } from "../../../src/domain/tweets/saved-drafts.ts";
import { getTweet } from "../../../src/domain/tweets/store.ts";
import { editsAtMost } from "../../../src/domain/tweets/versions.ts";
import { newPerson } from "../../support/actors/people.ts";
import { createWorld, type World } from "../../support/world/world.ts";

describe("pictures of drafts and edits", () => {
  let world: World;
  let ctx: Ctx;
  let user: UserId;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    ({ ctx } = world);
  });
  beforeEach(async () => {
    user = await newPerson(ctx);
  });
  afterAll(() => world.close());

  const newPicture = async (): Promise<UploadId> => {
    const file = { file: "a.webp", width: 1, height: 1 };
    const id = newUploadId();
    const made = { small: file, large: file, blur: "", hash: "", description: "" };
    await noteShown(ctx, user, [{ id, ...made }]);
    return id;
  };

  it("a draft that is saved again with another description keeps it, and sent again makes no third", async () => {
    const upload = await newPicture();
    const save = () => saveDraft(ctx, user, { text: "one", pictures: [upload] }, { nonce: "n" });
    await save();
    await describeUpload(ctx, user, { upload, description: "a bird" });
    for (let times = 0; times < 2; times += 1)
      expect((await save()).pictures[0]?.description).toBe("a bird");
    expect(await listDrafts(ctx, user)).toHaveLength(2);
  });

  it("an edit that is one too many leaves its new picture for another tweet", async () => {
    const kept = await newPicture();
    const id = await postTweet(ctx, user, { text: "0", pictures: [kept] });
    for (let nth = 1; nth <= editsAtMost; nth += 1)
      await editTweet(ctx, user, id, { text: `${nth}`, pictures: [kept] });
    const added = await newPicture();
    const refused = editTweet(ctx, user, id, { text: "more", pictures: [kept, added] });
    await expect(refused).rejects.toMatchObject({ problems: { form: "edit.many" } });
    const other = await postTweet(ctx, user, { text: "other", pictures: [added] });
    expect((await getTweet(ctx, other)).pictures).toMatchObject([{ id: added }]);
    const second = postTweet(ctx, user, { text: "third", pictures: [kept] });
    await expect(second).rejects.toMatchObject({ problems: { pictures: "picture.used" } });
  });
});
