import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Ctx } from "../../../src/context.ts";
import { changePassword } from "../../../src/domain/accounts/change-password.ts";
import {
  dropResetLink,
  getResetLink,
  type LinkOptions,
  makeResetLink,
  promptLinkSeconds,
  rescueByCode,
  useResetLink,
} from "../../../src/domain/accounts/reset-links.ts";
import { NotFound } from "../../../src/domain/errors.ts";
import { countRecoveryCodes, makeRecoveryCodes } from "../../../src/domain/factors/codes.ts";
import { logIn } from "../../../src/domain/users/log-in.ts";
import { getUserByName, type User } from "../../../src/domain/users/store.ts";
import { reinstateUser, suspendUser } from "../../../src/domain/users/suspension.ts";
import { keys } from "../../../src/redis/keys.ts";
import { ApiClient } from "../../support/actors/api-client.ts";
import { password, type Visitor } from "../../support/actors/visitor.ts";
import { dump } from "../../support/world/dump.ts";
import { endingAfter, untilEnded } from "../../support/world/ending-process.ts";
import { createWorld, type World } from "../../support/world/world.ts";

const fresh = "a rescued horse 44";

const tokenIn = (path: string) => path.replace("/reset/", "");
/** Minutes that are left. */
const lifeOf = (stored: string) =>
  ((JSON.parse(stored) as { until: number }).until - Date.now()) / 60_000;

describe("a link to set a new password", () => {
  let world: World;
  let ctx: Ctx;
  let owner: Visitor;
  let user: User;
  let people = 0;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    ({ ctx } = world);
  });
  afterAll(() => world.close());
  beforeEach(async () => {
    const name = `forgetful${(people += 1)}`;
    owner = await world.newcomer(name);
    user = await getUserByName(ctx, name);
  });

  const make = async (options: LinkOptions = {}) =>
    tokenIn(await makeResetLink(ctx, user, options));
  const letsIn = async (pass: string) =>
    logIn(ctx, { name: user.name, password: pass }).then(
      () => true,
      () => false,
    );

  it("a reset link sets the password, and ends all earlier sessions, apps and links", async () => {
    const app = await ApiClient.of(world, user.name);
    const [token, other] = [await make(), await make()];
    await useResetLink(ctx, token, fresh);
    expect(await letsIn(fresh)).toBe(true);
    expect(await letsIn(password)).toBe(false);
    await owner.get("/settings/profile").expect(303);
    await app.get("/api/v1/accounts/verify_credentials").expect(401);
    await expect(useResetLink(ctx, other, "yet another horse 45")).rejects.toThrow(NotFound);
    expect(await ctx.redis.exists(keys.resetLinks(user.id))).toBe(0);
  });

  it("a reset link works once, even for ten simultaneous requests", async () => {
    const token = await make();
    const uses = Array.from({ length: 10 }, (_, nth) =>
      useResetLink(ctx, token, `${fresh} ${nth}`),
    );
    const results = await Promise.allSettled(uses);
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const nth = results.findIndex(({ status }) => status === "fulfilled");
    expect(await letsIn(`${fresh} ${nth}`)).toBe(true);
    await expect(useResetLink(ctx, token, fresh)).rejects.toThrow(NotFound);
  });

  it("a reset link is stored only as a digest", async () => {
    const token = await make();
    const secret = token.replace(/^\d+\./, "");
    expect(secret).toMatch(/^[\w-]{43}$/);
    expect(JSON.stringify([...(await dump(ctx))])).not.toContain(secret);
    const [digest = ""] = await ctx.redis.hkeys(keys.resetLinks(user.id));
    await expect(getResetLink(ctx, `${user.id}.${digest}`)).rejects.toThrow(NotFound);
  });

  it("a reset link stays valid if the password is refused, or if it is only opened", async () => {
    const token = await make();
    for (const [next, problem] of [
      ["short", "password.short"],
      ["password1", "password.common"],
      [user.name, "password.name"],
    ] as const)
      await expect(useResetLink(ctx, token, next)).rejects.toMatchObject({
        problems: { new_password: problem },
      });
    expect((await getResetLink(ctx, token)).user.id).toBe(user.id);
    await useResetLink(ctx, token, fresh);
  });

  it("a reset link ends after a day, or after a quarter of an hour", async () => {
    const key = keys.resetLinks(user.id);
    const token = await make();
    const [stored = ""] = await ctx.redis.hvals(key);
    expect(lifeOf(stored)).toBeCloseTo(24 * 60, 0);
    expect(await ctx.redis.ttl(key)).toBeGreaterThan(24 * 60 * 60 - 60);
    await ageAll(key);
    await expect(useResetLink(ctx, token, fresh)).rejects.toThrow(NotFound);
    await make({ seconds: promptLinkSeconds });
    // The one that had ended is gone.
    const [short = "", ...rest] = await ctx.redis.hvals(key);
    expect([lifeOf(short), rest]).toEqual([expect.closeTo(15, 0), []]);
  });

  /** As if all had ended a millisecond ago, by the clock of Redis. */
  async function ageAll(key: string): Promise<void> {
    for (const [digest, text] of Object.entries(await ctx.redis.hgetall(key))) {
      const until = (await ctx.redis.serverTime(key)) - 1;
      await ctx.redis.hset(key, digest, JSON.stringify({ ...(JSON.parse(text) as object), until }));
    }
  }

  it("a reset link ends with a password change and with a suspension", async () => {
    const first = await make();
    await changePassword(ctx, user, { current: password, next: fresh });
    await expect(useResetLink(ctx, first, "another horse 46")).rejects.toThrow(NotFound);
    user = await getUserByName(ctx, user.name);
    const second = await make();
    await suspendUser(ctx, user);
    await reinstateUser(ctx, user);
    await expect(useResetLink(ctx, second, "another horse 46")).rejects.toThrow(NotFound);
    expect(await letsIn(fresh)).toBe(true);
  });

  it("a reset link leads to no other account, whatever its text is changed to", async () => {
    const token = await make();
    const other = await world.newcomer(`bystander${people}`);
    const { id } = await getUserByName(ctx, other.name);
    const secret = token.replace(/^\d+/, "");
    const texts = [`${id}${secret}`, secret, `0${token}`, `${token}x`, "", "1", `${user.id}.`];
    for (const text of texts)
      await expect(useResetLink(ctx, text, fresh)).rejects.toThrow(NotFound);
  });

  it("a user has at most twenty reset links; one that was not delivered is dropped", async () => {
    for (let nth = 0; nth < 25; nth += 1) await make();
    expect(await ctx.redis.hlen(keys.resetLinks(user.id))).toBe(20);
    const path = await makeResetLink(ctx, user);
    await dropResetLink(ctx, path);
    await expect(getResetLink(ctx, tokenIn(path))).rejects.toThrow(NotFound);
  });

  it("a link for a recovery code opens, however many links that last longer there are", async () => {
    const [code = ""] = await makeRecoveryCodes(ctx, user);
    for (let nth = 0; nth < 20; nth += 1) await make();
    const token = tokenIn(await rescueByCode(ctx, { name: user.name, code }));
    expect((await getResetLink(ctx, token)).user.id).toBe(user.id);
    expect(await ctx.redis.hlen(keys.resetLinks(user.id))).toBe(20);
  });

  it("a link that removes the factors ends the recovery codes, too; any other link keeps them", async () => {
    for (const removesFactors of [false, true]) {
      user = await getUserByName(ctx, user.name);
      await makeRecoveryCodes(ctx, user);
      await useResetLink(ctx, await make({ removesFactors }), `${fresh} ${removesFactors}`);
      expect(await countRecoveryCodes(ctx, user)).toBe(removesFactors ? 0 : 10);
    }
  });

  it("a reset link sets the password completely or not at all, wherever the process dies", async () => {
    const done = { whole: false };
    for (let commands = 0; !done.whole; commands += 1) {
      const name = `half${commands}`;
      const half = await world.newcomer(name);
      user = await getUserByName(ctx, name);
      await ctx.redis.hset(keys.passkeys(user.id), "id", "{}");
      await makeRecoveryCodes(ctx, user);
      const token = await make({ removesFactors: true });
      const dying = useResetLink(endingAfter(ctx, commands), token, fresh);
      await untilEnded(dying.then(() => void (done.whole = true)));
      const isSet = await letsIn(fresh);
      expect(await letsIn(password)).toBe(!isSet);
      const { status } = await half.get("/settings/profile");
      expect(status).toBe(isSet ? 303 : 200);
      // Once more: done now, or it was done before.
      const another = await useResetLink(ctx, token, "another horse 47").catch(() => undefined);
      expect(another?.id).toBe(isSet ? undefined : user.id);
      // The same form again does what is missing.
      const mayRepeat = isSet && !done.whole;
      const again = mayRepeat ? await useResetLink(ctx, token, fresh).catch(() => undefined) : user;
      const isGone = (await ctx.redis.exists(keys.resetLinks(user.id))) === 0;
      expect([again?.id, isGone]).toContain(isGone || user.id);
      const { passkeys, recoveryCodes } = keys;
      for (const key of [passkeys, recoveryCodes])
        expect(await ctx.redis.exists(key(user.id))).toBe(0);
    }
  });
});
