import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { draw } from "../../src/domain/drawing/draw.ts";
import { getUserByName } from "../../src/domain/users/store.ts";
import { keys } from "../../src/redis/keys.ts";
import { photo } from "../support/data/pictures.ts";
import { createWorld, type World } from "../support/world/world.ts";

describe("rights that end while a picture is made", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  it("an admin who loses the role while a logo waits to be drawn changes no logo", async () => {
    const { redis } = world.ctx;
    const admin = await world.newcomer("keeper");
    const user = await getUserByName(world.ctx, "keeper");
    await redis.setField(keys.user(user.id), "role", "admin");
    const looks = vi.spyOn(redis, "zscore");
    const upload = await photo();
    // These fill all slots.
    const ahead = [draw("logo", upload), draw("logo", upload)];
    const form = admin.agent.post("/admin/site/logo").attach("logo", upload, "logo.png");
    const answer = form.then(({ status }) => status);
    // The right is looked at once the file has arrived.
    const isArrived = () => looks.mock.calls.some(([key]) => key === keys.sessions(user.id));
    await expect.poll(isArrived).toBe(true);
    await redis.hdel(keys.user(user.id), "role");
    expect(await answer).toBe(403);
    await Promise.all(ahead);
    expect(await redis.hget(keys.site, "logo")).toBeNull();
    expect(await redis.xlen(keys.auditLog)).toBe(0);
    looks.mockRestore();
  });

  it("a header whose files are being stored is not shown after the right has ended", async () => {
    const { redis, storage } = world.ctx;
    const person = await world.newcomer("person");
    const { id } = await getUserByName(world.ctx, "person");
    if (storage === undefined) throw new TypeError("no storage");
    const { put } = storage;
    const puts = vi.spyOn(storage, "put").mockImplementation(async (...file) => {
      await put.apply(storage, file);
      await redis.del(keys.sessions(id));
    });
    const upload = person.agent.post("/settings/header").attach("header", await photo(), "a.jpg");
    await upload.expect(303).expect("Location", /^\/login/);
    expect(puts).toHaveBeenCalledTimes(2);
    puts.mockRestore();
    expect((await getUserByName(world.ctx, "person")).header).toBe("");
  });
});
