import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Ctx } from "../../../src/context.ts";
import {
  countRecoveryCodes,
  isFirstSet,
  makeRecoveryCodes,
  useRecoveryCode,
} from "../../../src/domain/factors/codes.ts";
import { rescueByCode, useResetLink } from "../../../src/domain/accounts/reset-links.ts";
import { findUser, type User } from "../../../src/domain/users/store.ts";
import { keys } from "../../../src/redis/keys.ts";
import { newPerson } from "../../support/actors/people.ts";
import { dump } from "../../support/world/dump.ts";
import { endingAfter, untilEnded } from "../../support/world/ending-process.ts";
import { createWorld, type World } from "../../support/world/world.ts";

describe("recovery codes", () => {
  let world: World;
  let ctx: Ctx;
  let user: User;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    ({ ctx } = world);
  });
  afterAll(() => world.close());
  beforeEach(async () => {
    user = await person();
  });

  async function person(): Promise<User> {
    const found = await findUser(ctx, await newPerson(ctx));
    if (found === undefined) throw new Error("no user");
    return found;
  }

  const use = (code: string, by: Pick<User, "id"> = user) => useRecoveryCode(ctx, by, code);

  it("there are ten different recovery codes of 16 unambiguous characters", async () => {
    const codes = await makeRecoveryCodes(ctx, user);
    expect(new Set(codes).size).toBe(10);
    for (const code of codes)
      expect(code).toMatch(/^([0-9a-hjkmnp-tv-z]{4}-){3}[0-9a-hjkmnp-tv-z]{4}$/);
  });

  it("recovery codes are stored only as digests", async () => {
    const codes = await makeRecoveryCodes(ctx, user);
    const stored = JSON.stringify([...(await dump(ctx))]);
    for (const code of codes) {
      expect(stored).not.toContain(code);
      expect(stored).not.toContain(code.replaceAll("-", ""));
    }
    for (const digest of await ctx.redis.hkeys(keys.recoveryCodes(user.id)))
      expect(await use(digest)).toBe(false);
  });

  it("a recovery code works once", async () => {
    const [first = "", second = ""] = await makeRecoveryCodes(ctx, user);
    expect(await use(first)).toBe(true);
    expect(await use(first)).toBe(false);
    expect(await countRecoveryCodes(ctx, user)).toBe(9);
    expect(await use(second)).toBe(true);
    expect(await countRecoveryCodes(ctx, user)).toBe(8);
  });

  it("a recovery code works once even for twenty simultaneous requests", async () => {
    const [code = ""] = await makeRecoveryCodes(ctx, user);
    const results = await Promise.all(Array.from({ length: 20 }, () => use(code)));
    expect(results.filter(Boolean)).toHaveLength(1);
  });

  it("a form with a recovery code may be sent again for a minute, until the password changes", async () => {
    const [code = "", other = ""] = await makeRecoveryCodes(ctx, user);
    const rescue = async (typed: string) =>
      await rescueByCode(ctx, { name: user.name, code: typed }).catch(() => undefined);
    const done = { whole: false };
    for (let commands = 0; !done.whole; commands += 1)
      await untilEnded(
        rescueByCode(endingAfter(ctx, commands), { name: user.name, code }).then(
          () => void (done.whole = true),
        ),
      );
    const path = await rescue(code);
    expect(path).toMatch(/^\/reset\//);
    expect(await countRecoveryCodes(ctx, user)).toBe(9);
    world.pass(61_000);
    expect(await rescue(code)).toBeUndefined();
    const token = (await rescue(other))?.split("/").at(-1) ?? "";
    await useResetLink(ctx, token, "a rescued horse 44");
    expect(await rescue(other)).toBeUndefined();
  });

  it("a recovery code works if the client sent the command twice, as after a lost reply", async () => {
    const [code = ""] = await makeRecoveryCodes(ctx, user);
    const redis = new Proxy(ctx.redis, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== "function") return value;
        return async (...args: unknown[]): Promise<unknown> => {
          if (name === "updateIf") await Reflect.apply(value, target, args);
          return (await Reflect.apply(value, target, args)) as unknown;
        };
      },
    });
    expect(await useRecoveryCode({ ...ctx, redis }, user, code)).toBe(true);
    expect(await use(code)).toBe(false);
  });

  it("recovery codes are read as people write them", async () => {
    const [one = "", two = "", three = ""] = await makeRecoveryCodes(ctx, user);
    expect(await use(` ${one.toUpperCase()} `)).toBe(true);
    expect(await use(two.replaceAll("-", " "))).toBe(true);
    const asTyped = three.replaceAll("-", "").replaceAll("0", "O").replaceAll("1", "l");
    expect(await use(asTyped)).toBe(true);
    for (const wrong of ["", "-", "unused", "0000-0000-0000-0000", "x".repeat(1_000_000)])
      expect(await use(wrong)).toBe(false);
  });

  it("a recovery code works for one user only", async () => {
    const other = await person();
    const [code = ""] = await makeRecoveryCodes(ctx, user);
    await makeRecoveryCodes(ctx, other);
    expect(await use(code, other)).toBe(false);
    expect(await use(code)).toBe(true);
  });

  it("a new set ends all older recovery codes", async () => {
    const [old = "", used = ""] = await makeRecoveryCodes(ctx, user);
    await use(used);
    const fresh = await makeRecoveryCodes(ctx, user);
    for (const code of [old, used]) expect(await use(code)).toBe(false);
    expect(await countRecoveryCodes(ctx, user)).toBe(10);
    expect(await use(fresh[0] ?? "")).toBe(true);
    expect(await ctx.redis.hlen(keys.recoveryCodes(user.id))).toBe(10);
  });

  it("only the first set of recovery codes of a new account needs no password", async () => {
    expect(await isFirstSet(ctx, user)).toBe(true);
    await makeRecoveryCodes(ctx, user);
    expect(await isFirstSet(ctx, user)).toBe(false);
    const older = { ...(await person()), createdAt: (ctx.now() - 16 * 60_000) * 1000 };
    expect(await isFirstSet(ctx, older)).toBe(false);
  });
});
