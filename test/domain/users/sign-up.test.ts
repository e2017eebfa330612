import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Problems, Invalid } from "../../../src/domain/errors.ts";
import { isAdmin } from "../../../src/domain/users/roles.ts";
import { signUp, type SignUp } from "../../../src/domain/users/sign-up.ts";
import type { UserId } from "../../../src/domain/ids.ts";
import { findUser, getUserByName } from "../../../src/domain/users/store.ts";
import { keys } from "../../../src/redis/keys.ts";
import { createWorld, type World } from "../../support/world/world.ts";
import { countKeys } from "../../support/world/test-redis.ts";
import { primaries } from "../../support/world/redis-nodes.ts";

describe("signing up", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  const good = { name: "newcomer", fullname: "New Comer", password: "correct horse 42" };

  async function problemsOf(input: Partial<SignUp>): Promise<Problems> {
    try {
      await signUp(world.ctx, { ...good, ...input });
    } catch (error) {
      if (error instanceof Invalid) return error.problems;
      throw error;
    }
    return {};
  }

  it("sign-up keeps the spelling of a name, and reserves every other spelling", async () => {
    await signUp(world.ctx, { ...good, name: " NewComer\n" });
    expect(await getUserByName(world.ctx, "nEWcOMER")).toMatchObject({ name: "NewComer" });
    expect(await problemsOf({ name: "newcomer" })).toEqual({ name: "name.taken" });
    expect(await problemsOf({ name: "NEWCOMER" })).toEqual({ name: "name.taken" });
  });

  it("sign-up refuses malformed and reserved names", async () => {
    expect(await problemsOf({ name: "\u212Aelvin" })).toEqual({ name: "name.format" });
    expect(await problemsOf({ name: "Settings" })).toEqual({ name: "name.reserved" });
  });

  it("sign-up refuses names in ADMINS, whose owners keep them (L10)", async () => {
    await signUp(world.ctx, { ...good, name: "keeper1" });
    const { config } = world.ctx;
    const ctx = { ...world.ctx, config: { ...config, admins: ["keeper1", "keeper2"] } };
    const attempt = (name: string) => signUp(ctx, { ...good, name });
    for (const name of ["keeper1", "keeper2", "KEEPER2"])
      await expect(attempt(name)).rejects.toMatchObject({ problems: { name: "name.reserved" } });
    expect(isAdmin(ctx, await getUserByName(ctx, "keeper1"))).toBe(true);
  });

  it("sign-up refuses a full name that is too long or blank", async () => {
    expect(await problemsOf({ fullname: "👨‍👩‍👧".repeat(51) })).toEqual({ fullname: "fullname.long" });
    for (const fullname of ["", "  ", "\u200B\u202E", "\u3164", "\u2800\u2800", "\u200D"])
      expect(await problemsOf({ fullname })).toEqual({ fullname: "fullname.empty" });
    expect(await problemsOf({ name: "fits", fullname: "👨‍👩‍👧".repeat(50) })).toEqual({});
  });

  it("sign-up refuses passwords that are common, equal to the name, cut or too long in bytes", async () => {
    expect(await problemsOf({ password: "雀".repeat(25) })).toEqual({ password: "password.long" });
    expect(await problemsOf({ password: "good\0enough" })).toEqual({ password: "password.nul" });
    expect(await problemsOf({ password: "Password1" })).toEqual({ password: "password.common" });
    const same = { name: "long_enough", password: "Long_Enough" };
    expect(await problemsOf(same)).toEqual({ password: "password.name" });
  });

  it("sign-up cleans the full name of what would turn or hide other text", async () => {
    await signUp(world.ctx, {
      ...good,
      name: "turner",
      fullname: "\u202Eevil\u0000\n\u200B Tur\u2066ner",
    });
    expect(await getUserByName(world.ctx, "turner")).toMatchObject({ fullname: "evil Turner" });
  });

  it("sign-up writes no field that a form could add", async () => {
    const fields = { ...good, name: "modest", role: "admin", bio: "x", id: "1", created_at: "0" };
    await world.visitor().post("/signup", fields).expect(303);
    const { id } = await getUserByName(world.ctx, "modest");
    const { pass, created_at, ...rest } = await world.ctx.redis.hgetall(keys.user(id));
    expect(rest).toEqual({ name: "modest", fullname: "New Comer", bio: "" });
    expect(pass).toMatch(/^\$2b\$/);
    expect(Number(created_at)).toBeGreaterThan(0);
  });

  it("only users whose record may expire are asked how long it lives", async () => {
    const { ctx } = world;
    const nodes = primaries(ctx.redis);
    const created = { name: "known", created_at: 1 };
    const young = { ...created, created_at: Date.now() * 1000 };
    const waiting = { ...created, waiting_at: 1 };
    for (const [nth, [fields, times]] of (
      [
        [created, 0],
        [young, 1],
        [waiting, 1],
      ] as const
    ).entries()) {
      const id = String(900_000 + nth) as UserId;
      await ctx.redis.hset(keys.user(id), fields);
      await Promise.all(nodes.map((node) => node.config("RESETSTAT")));
      expect(await findUser(ctx, id)).toMatchObject({ name: "known" });
      const infos = await Promise.all(nodes.map((node) => node.info("commandstats")));
      expect([fields, infos.join("\n").match(/cmdstat_pttl:calls=1\b/g) ?? []]).toHaveProperty(
        "1.length",
        times,
      );
    }
  });

  it("a refused sign-up leaves nothing behind", async () => {
    const before = await countKeys(world.ctx.redis);
    await problemsOf({ name: "nobody", fullname: "" });
    expect(await countKeys(world.ctx.redis)).toBe(before);
  });
});
