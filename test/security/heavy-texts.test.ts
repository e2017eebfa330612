import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Ctx } from "../../src/context.ts";
import { editTweet } from "../../src/domain/actions/edit-tweet.ts";
import { postTweet } from "../../src/domain/actions/post-tweet.ts";
import { changeDraft, saveDraft } from "../../src/domain/actions/save-draft.ts";
import type { Invalid } from "../../src/domain/errors.ts";
import type { UploadId, UserId } from "../../src/domain/ids.ts";
import { describeUpload, newUploadId, noteShown } from "../../src/domain/pictures/uploads.ts";
import { getDraft } from "../../src/domain/tweets/saved-drafts.ts";
import { editsAtMost } from "../../src/domain/tweets/versions.ts";
import { fitsGraphemes } from "../../src/domain/users/display-text.ts";
import { keys } from "../../src/redis/keys.ts";
import { newPerson } from "../support/actors/people.ts";
import { createWorld, type World } from "../support/world/world.ts";

/** The heaviest text of so many characters that is allowed: each has vowels of 3 bytes. */
function heavy(characters: number): string {
  for (let vowels = 31; ; vowels -= 1) {
    const text = `क${"ा".repeat(vowels)}`.repeat(characters);
    if (fitsGraphemes(text, characters) || vowels === 0) return text;
  }
}

/** What is wrong with the input; undefined if nothing is. */
const problemsOf = async (writing: Promise<unknown>) =>
  await writing.then(
    () => undefined,
    (error: unknown) => (error as Invalid).problems,
  );

describe("texts of few characters that weigh much", () => {
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

  const fourPictures = async (description: string): Promise<UploadId[]> => {
    const ids = Array.from({ length: 4 }, () => newUploadId());
    const file = { file: "a.webp", width: 1, height: 1 };
    const made = { small: file, large: file, blur: "x".repeat(300), hash: "", description: "" };
    await noteShown(
      ctx,
      user,
      ids.map((id) => ({ id, ...made })),
    );
    for (const upload of ids) await describeUpload(ctx, user, { upload, description });
    return ids;
  };
  const bytesAt = async (key: string) => await ctx.redis.memory("USAGE", key, "SAMPLES", 0);

  it("a hundred drafts take 5 MB at most", async () => {
    const pictures = await fourPictures(heavy(1000));
    const text = heavy(2000);
    // The heaviest that is kept.
    const inputs = [
      { text, warning: text, pictures },
      { text, warning: text },
      { text: heavy(300), pictures: pictures.slice(0, 2) },
      { text },
    ];
    for (const input of inputs)
      for (let nth = 0; nth < 100; nth += 1)
        if ((await problemsOf(saveDraft(ctx, user, input))) !== undefined) break;
    expect(await ctx.redis.hlen(keys.savedDrafts(user))).toBe(100);
    expect(await bytesAt(keys.savedDrafts(user))).toBeLessThan(5_000_000);
  });

  it("a draft that weighs too much is refused, and a change to that leaves it as it was", async () => {
    const { id } = await saveDraft(ctx, user, { text: "light" });
    const text = heavy(1900);
    const input = { text, warning: text };
    const expected = { form: "draft.long" };
    expect(await problemsOf(saveDraft(ctx, user, input))).toEqual(expected);
    expect(await problemsOf(changeDraft(ctx, user, id, input))).toEqual(expected);
    expect((await getDraft(ctx, user, id)).text).toBe("light");
  });

  it("all texts of a draft in Japanese may be as long as they can be", async () => {
    const pictures = await fourPictures("雀".repeat(1000));
    const text = "雀".repeat(2000);
    const draft = await saveDraft(ctx, user, { text, warning: text, pictures });
    expect(draft).toMatchObject({ text, warning: text });
  });

  /** Edits a new tweet until that is refused. Returns its id and how often it was edited. */
  const editAll = async (text: string, description: string) => {
    const pictures = await fourPictures(description);
    const id = await postTweet(ctx, user, { text, pictures });
    for (let edits = 0; ; edits += 1) {
      const input = { text: text.slice(0, -1 - edits), pictures };
      const problems = await problemsOf(editTweet(ctx, user, id, input));
      if (problems === undefined) continue;
      expect(problems).toEqual({ form: "edit.many" });
      return { id, edits };
    }
  };

  it("a tweet takes 500 kB at most with all that edits have replaced", async () => {
    const { id, edits } = await editAll(heavy(280), heavy(1000));
    expect(edits).toBeGreaterThan(2);
    expect(await ctx.redis.hget(keys.tweet(id), `was:${edits - 1}`)).not.toBeNull();
    expect(await bytesAt(keys.tweet(id))).toBeLessThan(500_000);
  });

  it("a tweet in Japanese with full descriptions is edited as often as others", async () => {
    const { edits } = await editAll("雀".repeat(280), "雀".repeat(1000));
    expect(edits).toBe(editsAtMost);
  });
});
