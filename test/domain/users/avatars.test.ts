import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { avatarBytes } from "../../../src/domain/drawing/profile.ts";
import type { UserId } from "../../../src/domain/ids.ts";
import {
  changeAvatar,
  findAvatar,
  removeAvatar,
  reconcileAvatar,
} from "../../../src/domain/users/avatars.ts";
import { findUser, findUsers } from "../../../src/domain/users/store.ts";
import { keys } from "../../../src/redis/keys.ts";
import { newPerson } from "../../support/actors/people.ts";
import { noise, picture } from "../../support/data/pictures.ts";
import { createWorld, type World } from "../../support/world/world.ts";
import { countOf } from "../../support/world/test-redis.ts";

describe("an avatar", () => {
  let world: World;
  let user: UserId;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    user = await newPerson(world.ctx);
  });
  afterAll(() => world.close());

  const digest = async () => (await findUser(world.ctx, user))?.avatar ?? "nobody";
  const stored = () => world.ctx.redis.getBuffer(keys.avatar(user));

  it("an avatar is stored as bytes and found only by its digest", async () => {
    expect(await digest()).toBe("");
    await changeAvatar(world.ctx, user, await noise());
    expect(await digest()).toMatch(/^[0-9a-f]{16}$/);
    const bytes = await stored();
    expect(bytes?.length).toBeLessThanOrEqual(avatarBytes);
    expect(await findAvatar(world.ctx, user, await digest())).toEqual(bytes);
    expect(await findAvatar(world.ctx, user, "0123456789abcdef")).toBeUndefined();
    expect(await findAvatar(world.ctx, user, "")).toBeUndefined();
  });

  it("an avatar's digest changes with each upload, even of the same picture", async () => {
    const upload = await picture("png");
    const before = await digest();
    await changeAvatar(world.ctx, user, upload);
    const after = await digest();
    expect(after).not.toBe(before);
    expect(await findAvatar(world.ctx, user, before)).toBeUndefined();
    await changeAvatar(world.ctx, user, upload);
    expect(await digest()).not.toBe(after);
  });

  it("other processes show a new avatar as soon as they ask again", async () => {
    const [seen] = (await findUsers(world.ctx, [user])).values();
    expect(seen?.avatar).toBe(await digest());
    await changeAvatar(world.ctx, user, await picture("jpeg", { width: 50 }));
    const own = await findUser(world.ctx, user);
    const [again] = (await findUsers(world.ctx, [user])).values();
    expect(again).toBe(own);
    expect(again?.avatar).not.toBe(seen?.avatar);
  });

  it("a refused upload keeps the old avatar", async () => {
    const before = [await digest(), await stored()];
    await expect(changeAvatar(world.ctx, user, Buffer.from("<svg/>"))).rejects.toThrow("avatar");
    expect([await digest(), await stored()]).toEqual(before);
  });

  it("a half-finished change of an avatar is repaired", async () => {
    const bytes = await stored();
    await world.ctx.redis.hset(keys.user(user), { avatar: "0000000000000000" });
    for (let time = 1; time <= 2; time += 1) await reconcileAvatar(world.ctx, user);
    expect(await findAvatar(world.ctx, user, await digest())).toEqual(bytes);
    await world.ctx.redis.del(keys.avatar(user));
    await reconcileAvatar(world.ctx, user);
    expect(await digest()).toBe("");
  });

  it("the repair of an avatar is promised before anything is written", async () => {
    const { ctx } = world;
    await changeAvatar(ctx, user, await picture("png"));
    const broken = {
      ...ctx,
      jobs: { ...ctx.jobs, chore: async () => Promise.reject(new Error("no")) },
    };
    const before = [await digest(), await stored()];
    await expect(changeAvatar(broken, user, await picture("png"))).rejects.toThrow("no");
    await expect(removeAvatar(broken, user)).rejects.toThrow("no");
    expect([await digest(), await stored()]).toEqual(before);
  });

  it("an avatar can be removed twice", async () => {
    await changeAvatar(world.ctx, user, await picture("gif"));
    for (let time = 1; time <= 2; time += 1) {
      await removeAvatar(world.ctx, user);
      expect([await digest(), await stored()]).toEqual(["", null]);
    }
  });

  it("a deleted user leaves no avatar behind", async () => {
    const gone = await newPerson(world.ctx);
    await world.ctx.redis.del(keys.user(gone));
    await changeAvatar(world.ctx, gone, await picture("webp"));
    const left = await countOf(world.ctx.redis, keys.avatar(gone), keys.user(gone)).catch(() => -1);
    expect(left).toBe(0);
  });
});
