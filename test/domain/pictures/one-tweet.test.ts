import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Ctx } from "../../../src/context.ts";
import { deleteTweet } from "../../../src/domain/actions/delete-tweet.ts";
import { editTweet } from "../../../src/domain/actions/edit-tweet.ts";
import { postTweet } from "../../../src/domain/actions/post-tweet.ts";
import { Invalid } from "../../../src/domain/errors.ts";
import { tweetId, type UploadId, type UserId } from "../../../src/domain/ids.ts";
import { prepareUpload } from "../../../src/domain/pictures/prepare-upload.ts";
import { addUpload } from "../../../src/domain/pictures/uploads.ts";
import { findTweet } from "../../../src/domain/tweets/store.ts";
import { keys } from "../../../src/redis/keys.ts";
import { newPerson } from "../../support/actors/people.ts";
import { picture } from "../../support/data/pictures.ts";
import { pausingAfter } from "../../support/world/ending-process.ts";
import { createWorld, type World } from "../../support/world/world.ts";
import { storedFiles } from "../../support/inspect/stored-files.ts";

/** The one refusal that is allowed. */
function refused(error: unknown): void {
  if (!(error instanceof Invalid && error.problems["pictures"] === "picture.used")) throw error;
}

describe("a picture of one tweet", () => {
  let world: World;
  let user: UserId;
  let bytes: Buffer;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    bytes = await picture("png");
  });
  beforeEach(async () => {
    user = await newPerson(world.ctx);
  });
  afterAll(() => world.close());

  const files = () => storedFiles(world.ctx, user);
  const add = async (): Promise<UploadId> => {
    const upload = await addUpload(world.ctx, user, { bytes, description: "" });
    await prepareUpload(world.ctx, { user, upload });
    return upload;
  };
  const post = async (upload: UploadId) =>
    await postTweet(world.ctx, user, { text: "", pictures: [upload] });

  it.each(["another post", "an edit"] as const)(
    "an upload that is posted and used by %s at once is in one tweet, whichever is interrupted when",
    async (rival) => {
      const outcomes = new Set<string>();
      for (let commands = 0; commands < 25; commands += 1) {
        user = await newPerson(world.ctx);
        const upload = await add();
        const before = await postTweet(world.ctx, user, { text: "before" });
        const posting = async (ctx: Ctx) =>
          void (await postTweet(ctx, user, { text: "one", pictures: [upload] }));
        const other = { text: "other", pictures: [upload], sensitive: false };
        const rivalling = async (ctx: Ctx) =>
          void (await (rival === "another post"
            ? postTweet(ctx, user, other)
            : editTweet(ctx, user, before, other)));
        for (const [first, second] of [
          [posting, rivalling],
          [rivalling, posting],
        ] as const) {
          const meanwhile = async () => await second(world.ctx).catch(refused);
          await first(pausingAfter(world.ctx, commands, meanwhile)).catch(refused);
        }
        const tweets = await world.ctx.redis.zrange(keys.userTimeline(user), 0, "-1");
        const all = await Promise.all(tweets.map((id) => findTweet(world.ctx, tweetId(id))));
        const shown = all.filter((tweet) => (tweet?.pictures ?? []).length > 0);
        expect(shown).toHaveLength(1);
        outcomes.add(shown[0]?.text ?? "");
        for (const tweet of all)
          if (tweet !== undefined && tweet !== shown[0])
            await deleteTweet(world.ctx, user, tweet.id);
        expect(await files()).toHaveLength(1);
      }
      expect(outcomes.size).toBe(2);
    },
  );

  it("a post that is refused for one picture leaves the others free", async () => {
    const [used, other] = [await add(), await add()];
    await post(used);
    const both = postTweet(world.ctx, user, { text: "both", pictures: [other, used] });
    await expect(both).rejects.toThrow("pictures: picture.used");
    await post(other);
  });
});
