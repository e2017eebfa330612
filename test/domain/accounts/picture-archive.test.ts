import { PassThrough } from "node:stream";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Ctx } from "../../../src/context.ts";
import { exportArchive, pictureArchives } from "../../../src/domain/accounts/export-archive.ts";
import { continueImport } from "../../../src/domain/accounts/import.ts";
import type { ImportProgress } from "../../../src/domain/accounts/import-run.ts";
import { findImport } from "../../../src/domain/accounts/import-store.ts";
import { deleteTweet } from "../../../src/domain/actions/delete-tweet.ts";
import { likeTweet } from "../../../src/domain/actions/like.ts";
import { postTweet } from "../../../src/domain/actions/post-tweet.ts";
import type { UserId } from "../../../src/domain/ids.ts";
import { changeHeader } from "../../../src/domain/pictures/header.ts";
import { prepareUpload } from "../../../src/domain/pictures/prepare-upload.ts";
import { addUpload } from "../../../src/domain/pictures/uploads.ts";
import { changeAvatar } from "../../../src/domain/users/avatars.ts";
import { findUser, type User } from "../../../src/domain/users/store.ts";
import { keys } from "../../../src/redis/keys.ts";
import { newPerson, readUserPage } from "../../support/actors/people.ts";
import {
  exportFile,
  importFile,
  rowsIn,
  siteUrl,
  startImport,
  contentsOf,
} from "../../support/data/account-files.ts";
import { picture } from "../../support/data/pictures.ts";
import { createWorld, type World } from "../../support/world/world.ts";
import { storedFiles } from "../../support/inspect/stored-files.ts";

const twoDays = 2 * 24 * 60 * 60 * 1000;

let world: World;
let ctx: Ctx;
let ann: UserId;
let archive: Buffer;
beforeAll(async () => {
  world = await createWorld({}, { workers: false });
  ({ ctx } = world);
  ann = await newPerson(ctx);
  await changeAvatar(ctx, ann, await picture("png"));
  await changeHeader(ctx, ann, await picture("png"));
  const uploaded = async (description: string, width: number) => {
    const bytes = await picture("png", { width, height: 40 });
    const upload = await addUpload(ctx, ann, { bytes, description });
    await prepareUpload(ctx, { user: ann, upload });
    return upload;
  };
  await postTweet(ctx, ann, {
    text: "two walls",
    pictures: [await uploaded("a wall", 50), await uploaded("another <wall>", 60)],
  });
  await postTweet(ctx, ann, { text: "", pictures: [await uploaded("", 70)], sensitive: true });
  await postTweet(ctx, ann, { text: "no picture" });
  archive = await archiveOf(ann);
  world.pass(twoDays);
});
afterAll(() => world.close());

async function archiveOf(id: UserId): Promise<Buffer> {
  const user = (await findUser(ctx, id)) as User;
  const [tweets = []] = await pictureArchives(ctx, id);
  return await buffer(exportArchive(ctx, { user, site: siteUrl }, tweets));
}

/** What the tweets of a user show, newest first. */
const shownBy = async (id: UserId) =>
  (await readUserPage(ctx, id)).items.map((tweet) => ({
    text: tweet.text,
    covered: tweet.sensitive,
    pictures: (tweet.pictures ?? []).map(({ large, description }) => [large.width, description]),
  }));

const brought = [
  { text: "", covered: true, pictures: [[70, ""]] },
  {
    text: "two walls",
    covered: false,
    pictures: [
      [50, "a wall"],
      [60, "another <wall>"],
    ],
  },
];

describe("an archive of pictures", () => {
  it("an archive has the tweets with pictures, all their files, and the pictures of the profile", async () => {
    const { names, lines } = await contentsOf(ctx, archive);
    const { profile, tweet: tweets = [] } = rowsIn([...lines].map(({ json }) => json).join("\n"));
    expect(profile?.[0]).toMatchObject({ avatar: "avatar.webp", header: "header.webp" });
    expect(tweets).toHaveLength(2);
    const named = tweets.flatMap((tweet) =>
      (tweet["pictures"] as { file: string }[]).map(({ file }) => file),
    );
    const pictures = names.filter((name) => name.startsWith("pictures/"));
    expect(pictures.toSorted()).toEqual(named.toSorted());
    expect(archive.includes("avatar.webp") && archive.includes("header.webp")).toBe(true);
  });

  it("an archive has what can be imported, and not all likes and followers once more", async () => {
    await likeTweet(ctx, ann, await postTweet(ctx, ann, { text: "liked" }));
    const { lines } = await contentsOf(ctx, await archiveOf(ann));
    const kinds = rowsIn(lines.map(({ json }) => json).join("\n"));
    expect(kinds).not.toHaveProperty("like");
    expect(kinds).toHaveProperty("profile");
  });

  it("an import brings the pictures with descriptions and covers, each once", async () => {
    const heir = await newPerson(ctx);
    expect(await importFile(ctx, heir, archive)).toMatchObject({ tweets: 2, pictures: 3 });
    expect(await shownBy(heir)).toEqual(brought);
    const files = await storedFiles(ctx, heir);
    expect(files.some((name) => name.endsWith(".upload"))).toBe(false);
    expect(await importFile(ctx, heir, archive)).toMatchObject({ tweets: 0, known: 2 });
    expect(await shownBy(heir)).toEqual(brought);
    expect((await storedFiles(ctx, heir)).toSorted()).toEqual(files.toSorted());
  });

  it("an import leaves no file of a tweet that was deleted here", async () => {
    const heir = await newPerson(ctx);
    await importFile(ctx, heir, archive);
    for (const { id } of (await readUserPage(ctx, heir)).items) await deleteTweet(ctx, heir, id);
    expect(await storedFiles(ctx, heir)).toEqual([]);
    expect(await importFile(ctx, heir, archive)).toMatchObject({ tweets: 0, pictures: 0 });
    expect(await storedFiles(ctx, heir)).toEqual([]);
    expect(await ctx.redis.exists(keys.pictures(heir))).toBe(0);
  });

  it("an import leaves no file of a tweet that it refuses", async () => {
    const [author, heir] = [await newPerson(ctx), await newPerson(ctx)];
    const bytes = await picture("png");
    const upload = await addUpload(ctx, author, { bytes, description: "" });
    await prepareUpload(ctx, { user: author, upload });
    await postTweet(ctx, author, { text: "of today", pictures: [upload] });
    const progress = await importFile(ctx, heir, await archiveOf(author));
    expect(progress).toMatchObject({ tweets: 0, skipped: { recent: 1 } });
    expect(await storedFiles(ctx, heir)).toEqual([]);
  });

  it("a file of texts can be imported first, and the pictures afterwards", async () => {
    const heir = await newPerson(ctx);
    const progress = await importFile(ctx, heir, await exportFile(ctx, ann));
    // The tweet without text waits for its picture.
    expect(progress).toMatchObject({ tweets: 2, skipped: { text: 1 } });
    await importFile(ctx, heir, archive);
    const [bare, texts] = brought;
    expect(await shownBy(heir)).toEqual([
      { text: "no picture", covered: false, pictures: [] },
      bare,
      texts,
    ]);
  });

  it("an import that ends at any request to the storage brings each picture once", async () => {
    const heir = await newPerson(ctx);
    await startImport(ctx, heir, archive);
    const { storage } = ctx;
    if (storage === undefined) throw new Error("no storage");
    let progress: ImportProgress | undefined;
    let endings = 0;
    for (let allowed = 0; progress?.done !== true; allowed += 1) {
      let left = allowed;
      const count = <Answer>(answer: Answer) => {
        if (left === 0) throw new Error("the storage is away");
        left -= 1;
        return answer;
      };
      const failing = {
        ...storage,
        put: async (...args: Parameters<typeof storage.put>) => count(storage).put(...args),
        find: async (name: string) => count(storage).find(name),
        remove: async (name: string) => count(storage).remove(name),
      };
      await continueImport({ ...ctx, storage: failing }, heir).catch(() => (endings += 1));
      progress = (await findImport(ctx, heir))?.progress;
    }
    expect(endings).toBeGreaterThan(3);
    expect(await shownBy(heir)).toEqual(brought);
    // Two files of each picture; of a small one they may be the same.
    const shown = new Set(await ctx.redis.hkeys(keys.pictures(heir)));
    expect(shown.size).toBe(3);
    for (const name of await storedFiles(ctx, heir)) expect(shown).toContain(name.split("-")[1]);
  });

  it("what fails while it is read ends the archive only", async () => {
    const user = (await findUser(ctx, ann)) as User;
    const [tweets = []] = await pictureArchives(ctx, ann);
    const broken = tweets.map((tweet) => ({ ...tweet, createdAt: Number.NaN }));
    const written = exportArchive(ctx, { user, site: siteUrl }, broken);
    await expect(buffer(written)).rejects.toThrow(RangeError);
  });

  it("a client that goes away leaves no file open", async () => {
    const user = (await findUser(ctx, ann)) as User;
    const { storage } = ctx;
    if (storage === undefined) throw new Error("no storage");
    const unread = new PassThrough();
    unread.write("x");
    const find = async () => ({ size: 1, read: async () => unread });
    const failing = { ...ctx, storage: { ...storage, find } };
    const out = exportArchive(failing, { user, site: siteUrl }, []);
    for await (const piece of out) if (piece.length > 0 && unread.listenerCount("data") > 0) break;
    await expect.poll(() => unread.destroyed).toBe(true);
  });
});
