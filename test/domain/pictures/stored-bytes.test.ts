import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { countStorage, findStorageUse } from "../../../src/domain/accounts/count-storage.ts";
import { eraseAccount } from "../../../src/domain/accounts/erase.ts";
import { exportArchive, pictureArchives } from "../../../src/domain/accounts/export-archive.ts";
import { steerImport } from "../../../src/domain/accounts/import.ts";
import { findImport } from "../../../src/domain/accounts/import-store.ts";
import { discardUpload, reconcileUpload } from "../../../src/domain/actions/attach-pictures.ts";
import { deleteTweet } from "../../../src/domain/actions/delete-tweet.ts";
import { editTweet } from "../../../src/domain/actions/edit-tweet.ts";
import { postTweet } from "../../../src/domain/actions/post-tweet.ts";
import type { UploadId, UserId } from "../../../src/domain/ids.ts";
import { pictureBytes } from "../../../src/domain/pictures/stored-bytes.ts";
import { prepareUpload } from "../../../src/domain/pictures/prepare-upload.ts";
import { addUpload, findUploads } from "../../../src/domain/pictures/uploads.ts";
import { findUser, type User } from "../../../src/domain/users/store.ts";
import { keys } from "../../../src/redis/keys.ts";
import { newPerson } from "../../support/actors/people.ts";
import { importAll, siteUrl, startImport } from "../../support/data/account-files.ts";
import { picture } from "../../support/data/pictures.ts";
import { endingAfter } from "../../support/world/ending-process.ts";
import { createWorld, type World } from "../../support/world/world.ts";

const day = 24 * 60 * 60 * 1000;

describe("the bytes of an account", () => {
  let world: World;
  let user: UserId;
  let bytes: Buffer;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    bytes = await picture("png");
  });
  beforeEach(async () => {
    user = await newPerson(world.ctx);
    world.ctx.config.accountPictureBytes = 0;
  });
  afterAll(() => world.close());

  const stored = async () => {
    let sum = 0;
    for await (const file of world.ctx.storage?.list() ?? [])
      if (file.name.startsWith(`${user}-`)) sum += file.bytes;
    return sum;
  };
  const counted = async () => await pictureBytes(world.ctx, user);
  const add = async (): Promise<UploadId> => {
    const upload = await addUpload(world.ctx, user, { bytes, description: "" });
    await prepareUpload(world.ctx, { user, upload });
    return upload;
  };

  it("what is counted is what the storage has, through posts, edits, deletions and uploads without a tweet", async () => {
    const [shown, unused, taken] = [await add(), await add(), await add()];
    const tweet = await postTweet(world.ctx, user, { text: "seen", pictures: [shown] });
    expect(await counted()).toBe(await stored());
    await editTweet(world.ctx, user, tweet, { text: "without", pictures: [], sensitive: false });
    await discardUpload(world.ctx, { user, upload: taken });
    expect(await counted()).toBe(await stored());
    expect(await counted()).toBeGreaterThan(0);
    world.pass(day);
    for (const upload of [shown, unused]) await reconcileUpload(world.ctx, { user, upload });
    expect(await counted()).toBe(await stored());
    await deleteTweet(world.ctx, user, tweet);
    expect([await counted(), await stored()]).toEqual([0, 0]);
    expect(await world.ctx.redis.exists(keys.storedBytes(user))).toBe(0);
  });

  it("a conversion that runs twice, or is cut off anywhere, counts once", async () => {
    for (let commands = 0; commands < 12; commands += 1) {
      const upload = await addUpload(world.ctx, user, { bytes, description: "" });
      const work = { user, upload };
      await prepareUpload(endingAfter(world.ctx, commands), work).catch(() => {});
      for (let time = 1; time <= 2; time += 1) await prepareUpload(world.ctx, work);
      expect(await counted()).toBe(await stored());
    }
  });

  it("an upload that cannot be read counts nothing", async () => {
    const broken = Buffer.concat([bytes.subarray(0, 60), Buffer.alloc(100)]);
    const upload = await addUpload(world.ctx, user, { bytes: broken, description: "" });
    await prepareUpload(world.ctx, { user, upload });
    expect([await counted(), await stored()]).toEqual([0, 0]);
  });

  it("a quota refuses the picture that does not fit, and takes it once others are deleted", async () => {
    const tweet = await postTweet(world.ctx, user, { text: "", pictures: [await add()] });
    const size = await counted();
    world.ctx.config.accountPictureBytes = size + 1;
    const upload = await add();
    const [refused] = await findUploads(world.ctx, user, [upload]);
    expect(refused?.made).toEqual({ problem: "picture.quota" });
    expect([await counted(), await stored()]).toEqual([size, size]);
    world.ctx.config.accountPictureBytes = size;
    await expect(add()).rejects.toThrow("pictures: picture.quota");
    await deleteTweet(world.ctx, user, tweet);
    const [fits] = await findUploads(world.ctx, user, [await add()]);
    expect(fits?.made?.problem).toBeUndefined();
    expect(await counted()).toBe(size);
  });

  it("of many uploads at once not more are kept than fit", async () => {
    await postTweet(world.ctx, user, { text: "", pictures: [await add()] });
    const size = await counted();
    world.ctx.config.accountPictureBytes = 3 * size;
    const uploads: UploadId[] = [];
    for (let nth = 0; nth < 5; nth += 1)
      uploads.push(await addUpload(world.ctx, user, { bytes, description: "" }));
    await Promise.all(uploads.map((upload) => prepareUpload(world.ctx, { user, upload })));
    expect([await counted(), await stored()]).toEqual([3 * size, 3 * size]);
  });

  it("pictures from before they were counted, and texts, are counted by the chore", async () => {
    const tweet = await postTweet(world.ctx, user, { text: "äh", pictures: [await add()] });
    await postTweet(world.ctx, user, { text: "more", warning: "w" });
    await world.ctx.redis.del(keys.storedBytes(user));
    expect(await findStorageUse(world.ctx, user)).toEqual({ pictures: 0, texts: undefined });
    for (let time = 1; time <= 2; time += 1) await countStorage(world.ctx, { user });
    const { pictures, texts } = await findStorageUse(world.ctx, user);
    expect(pictures).toBe(await stored());
    expect(texts?.bytes).toBe(3 + "w\nmore".length);
    await deleteTweet(world.ctx, user, tweet);
    await countStorage(world.ctx, { user });
    expect(await findStorageUse(world.ctx, user)).toMatchObject({
      pictures: 0,
      texts: { bytes: 6 },
    });
  });

  it("an import counts the pictures that it keeps, and its undo leaves none", async () => {
    const { ctx } = world;
    for (const text of ["one", "two"])
      await postTweet(ctx, user, { text, pictures: [await add(), await add()] });
    const [tweets = []] = await pictureArchives(ctx, user);
    const about = { user: (await findUser(ctx, user)) as User, site: siteUrl };
    const archive = await buffer(exportArchive(ctx, about, tweets));
    world.pass(2 * day);
    user = await newPerson(ctx);
    await startImport(ctx, user, archive);
    expect(await counted()).toBe(0);
    expect(await importAll(ctx, user)).toMatchObject({ tweets: 2, pictures: 4 });
    expect(await counted()).toBe(await stored());
    expect(await counted()).toBeGreaterThan(0);
    const { id = "" } = (await findImport(ctx, user)) ?? {};
    await steerImport(ctx, user, { id, step: "undo" });
    await importAll(ctx, user);
    expect([await counted(), await stored()]).toEqual([0, 0]);
  });

  it("nothing of the count is left of an erased account, also if it is being counted", async () => {
    await postTweet(world.ctx, user, { text: "", pictures: [await add()] });
    await countStorage(world.ctx, { user });
    await world.ctx.redis.hset(keys.user(user), "leaving_at", "1");
    await eraseAccount(world.ctx, { user, pass: "last" });
    await countStorage(world.ctx, { user });
    expect(await world.ctx.redis.exists(keys.storedBytes(user))).toBe(0);
  });
});
