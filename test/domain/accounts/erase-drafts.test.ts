import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deleteAccount, eraseAccount } from "../../../src/domain/accounts/erase.ts";
import { postTweet } from "../../../src/domain/actions/post-tweet.ts";
import { saveDraft } from "../../../src/domain/actions/save-draft.ts";
import { prepareUpload } from "../../../src/domain/pictures/prepare-upload.ts";
import { addUpload } from "../../../src/domain/pictures/uploads.ts";
import { getUserByName } from "../../../src/domain/users/store.ts";
import { keys } from "../../../src/redis/keys.ts";
import { password } from "../../support/actors/visitor.ts";
import { picture } from "../../support/data/pictures.ts";
import { createWorld, type World } from "../../support/world/world.ts";

describe("erasing an account with drafts and pictures", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  it("its drafts are read once, not once for each tweet with a picture", async () => {
    const { ctx } = world;
    await world.newcomer("leaver");
    const user = await getUserByName(ctx, "leaver");
    for (let nth = 0; nth < 3; nth += 1) await saveDraft(ctx, user.id, { text: `draft ${nth}` });
    const bytes = await picture("png");
    for (let nth = 0; nth < 8; nth += 1) {
      const upload = await addUpload(ctx, user.id, { bytes, description: "" });
      await prepareUpload(ctx, { user: user.id, upload });
      await postTweet(ctx, user.id, { text: "", pictures: [upload] });
    }
    await deleteAccount(ctx, user, { name: "leaver", password });
    const key = keys.savedDrafts(user.id);
    let draftsRead = 0;
    const redis = new Proxy(ctx.redis, {
      get(target, property) {
        const value: unknown = Reflect.get(target, property, target);
        if (property === "hgetall")
          return async (asked: string) => {
            const fields = await target.hgetall(asked);
            if (asked === key) draftsRead += Object.keys(fields).length;
            return fields;
          };
        return typeof value === "function" ? (value.bind(target) as unknown) : value;
      },
    });
    await eraseAccount({ ...ctx, redis }, { user: user.id, pass: "first" });
    expect(await ctx.redis.exists(key)).toBe(0);
    expect(draftsRead).toBe(3);
  });
});
