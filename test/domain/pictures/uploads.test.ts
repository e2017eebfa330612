import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { eraseAccount } from "../../../src/domain/accounts/erase.ts";
import { areFree } from "../../../src/domain/counters.ts";
import type { Ctx } from "../../../src/context.ts";
import {
  discardUpload,
  removePictures,
  reconcileUpload,
} from "../../../src/domain/actions/attach-pictures.ts";
import { Invalid, NotFound } from "../../../src/domain/errors.ts";
import { deleteTweet } from "../../../src/domain/actions/delete-tweet.ts";
import { postTweet } from "../../../src/domain/actions/post-tweet.ts";
import { type TweetId, tweetId, type UploadId, type UserId } from "../../../src/domain/ids.ts";
import { prepareUpload } from "../../../src/domain/pictures/prepare-upload.ts";
import { forgetUpload } from "../../../src/domain/pictures/files.ts";
import { addUpload, findUploads } from "../../../src/domain/pictures/uploads.ts";
import { findTombstone, findTweet } from "../../../src/domain/tweets/store.ts";
import { keys } from "../../../src/redis/keys.ts";
import { newPerson } from "../../support/actors/people.ts";
import { picture } from "../../support/data/pictures.ts";
import { pausingAfter } from "../../support/world/ending-process.ts";
import { createWorld, type World } from "../../support/world/world.ts";
import { storedFiles } from "../../support/inspect/stored-files.ts";

/** For what may be refused. */
function refused(error: unknown): void {
  if (!(error instanceof Invalid || error instanceof NotFound)) throw error;
}

const day = 24 * 60 * 60 * 1000;

describe("an upload", () => {
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
  const post = async (upload: UploadId): Promise<TweetId> =>
    await postTweet(world.ctx, user, { text: "", pictures: [upload] });

  it("an upload is kept as it came until it is converted, which may happen twice", async () => {
    const upload = await addUpload(world.ctx, user, { bytes, description: " a  wall " });
    expect(await files()).toEqual([`${user}-${upload}.upload`]);
    for (let time = 1; time <= 2; time += 1) await prepareUpload(world.ctx, { user, upload });
    const [found] = await findUploads(world.ctx, user, [upload]);
    expect(found).toMatchObject({ description: "a  wall", made: { picture: { id: upload } } });
    const left = await files();
    expect(left).toHaveLength(1);
    expect(left[0]).toMatch(/\.webp$/);
  });

  it("an upload that is being converted refuses the tweet, beside the pictures", async () => {
    const upload = await addUpload(world.ctx, user, { bytes, description: "" });
    await expect(post(upload)).rejects.toThrow("pictures: picture.slow");
  });

  it("an unused upload stays for a day, then nothing of it is left", async () => {
    const upload = await add();
    await reconcileUpload(world.ctx, { user, upload });
    expect(await files()).toHaveLength(1);
    world.pass(day);
    for (let time = 1; time <= 2; time += 1) await reconcileUpload(world.ctx, { user, upload });
    expect(await files()).toEqual([]);
    expect(await areFree(world.ctx, [keys.uploads(user), keys.pictures(user)])).toBe(true);
  });

  it("a used upload stays as long as its tweet", async () => {
    const upload = await add();
    const tweet = await post(upload);
    world.pass(day);
    await reconcileUpload(world.ctx, { user, upload });
    expect(await files()).toHaveLength(1);
    expect(await findUploads(world.ctx, user, [upload])).toEqual([undefined]);
    await deleteTweet(world.ctx, user, tweet);
    expect(await files()).toEqual([]);
    expect(await world.ctx.redis.exists(keys.pictures(user))).toBe(0);
  });

  it("an upload whose draft lapsed can be posted with another tweet", async () => {
    const upload = await add();
    await world.ctx.redis.hset(keys.pictures(user), upload, "999999");
    const tweet = await post(upload);
    expect((await findTweet(world.ctx, tweet))?.pictures).toHaveLength(1);
    expect(await world.ctx.redis.hget(keys.pictures(user), upload)).toBe(tweet);
  });

  it.each(["post", "take back"] as const)(
    "an upload that is posted and taken back at once ends as one of both, whenever a %s is interrupted",
    async (paused) => {
      const outcomes = new Set<string>();
      for (let commands = 0; commands < 25; commands += 1) {
        user = await newPerson(world.ctx);
        const upload = await add();
        const posting = async (ctx: Ctx) =>
          await postTweet(ctx, user, { text: "", pictures: [upload] });
        const takingBack = async (ctx: Ctx) => await discardUpload(ctx, { user, upload });
        const [first, second] = paused === "post" ? [posting, takingBack] : [takingBack, posting];
        const meanwhile = async () => void (await second(world.ctx).catch(refused));
        await first(pausingAfter(world.ctx, commands, meanwhile)).catch(refused);
        const [posted] = await world.ctx.redis.zrange(keys.userTimeline(user), 0, "-1");
        outcomes.add(posted === undefined ? "no tweet" : "a tweet");
        expect(await files()).toHaveLength(posted === undefined ? 0 : 1);
        world.pass(day);
        await reconcileUpload(world.ctx, { user, upload });
        expect(await files()).toHaveLength(posted === undefined ? 0 : 1);
      }
      expect([...outcomes].toSorted()).toEqual(["a tweet", "no tweet"]);
    },
  );

  it("a tombstone keeps the names of files until they are deleted", async () => {
    const tweet = await post(await add());
    const broken = {
      ...world.ctx,
      storage: undefined as never,
      get log() {
        return world.ctx.log;
      },
    };
    Object.defineProperty(broken, "storage", {
      get() {
        throw new Error("the storage is away");
      },
    });
    await deleteTweet(broken, user, tweet);
    expect(await findTweet(world.ctx, tweet)).toBeUndefined();
    const tombstone = await findTombstone(world.ctx, tweet);
    expect(tombstone?.pictures).toHaveLength(1);
    expect(await files()).toHaveLength(1);
    if (tombstone !== undefined) await removePictures(world.ctx, tombstone);
    expect(await files()).toEqual([]);
    expect((await findTombstone(world.ctx, tweet))?.pictures).toEqual([]);
  });

  it("an erased account leaves no file, used or not", async () => {
    await post(await add());
    await add();
    await addUpload(world.ctx, user, { bytes, description: "" });
    expect(await files()).toHaveLength(3);
    await world.ctx.redis.hset(keys.user(user), "deleted_at", "1");
    for (const pass of ["first", "last"] as const) await eraseAccount(world.ctx, { user, pass });
    const isFree = await areFree(world.ctx, [keys.uploads(user), keys.pictures(user)]);
    expect([await files(), isFree]).toEqual([[], true]);
  });

  it("a conversion that ends after the account is gone leaves nothing", async () => {
    const upload = await addUpload(world.ctx, user, { bytes, description: "" });
    const { redis } = world.ctx;
    const slow = {
      ...world.ctx,
      redis: new Proxy(redis, {
        get(target, name) {
          const value: unknown = Reflect.get(target, name);
          if (name !== "hsetnx") return value;
          return async (...args: unknown[]) => {
            await redis.del(keys.uploads(user));
            return (value as (...args: unknown[]) => unknown).apply(target, args);
          };
        },
      }),
    };
    await prepareUpload(slow, { user, upload });
    expect(await files()).toEqual([]);
  });

  it("a conversion that ends again after its tweet was posted leaves the files", async () => {
    const upload = await addUpload(world.ctx, user, { bytes, description: "" });
    const { redis } = world.ctx;
    let isSecond = true;
    const slow = {
      ...world.ctx,
      redis: new Proxy(redis, {
        get(target, name) {
          const value: unknown = Reflect.get(target, name);
          if (name !== "hsetnx" || !isSecond) return value;
          return async (...args: unknown[]) => {
            isSecond = false;
            await prepareUpload(world.ctx, { user, upload });
            await post(upload);
            await forgetUpload(world.ctx, { user, upload });
            return (value as (...args: unknown[]) => unknown).apply(target, args);
          };
        },
      }),
    };
    await prepareUpload(slow, { user, upload });
    expect(await files()).toHaveLength(1);
    expect(await world.ctx.redis.exists(keys.uploads(user))).toBe(0);
  });

  it("a site without storage refuses uploads with a word", async () => {
    const none = { ...world.ctx, storage: undefined };
    await expect(addUpload(none, user, { bytes, description: "" })).rejects.toThrow("picture.off");
  });

  it("tweets without pictures have no field for them", async () => {
    const tweet = await postTweet(world.ctx, user, { text: "plain", sensitive: true });
    const fields = await world.ctx.redis.hkeys(keys.tweet(tweetId(tweet)));
    expect(fields.filter((field) => /pictures|sensitive/.test(field))).toEqual([]);
  });
});
