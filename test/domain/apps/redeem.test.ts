import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Ctx } from "../../../src/context.ts";
import { openToken, endAllApps, listGrants } from "../../../src/domain/apps/tokens.ts";
import type { Code } from "../../../src/domain/apps/authorize.ts";
import type { CodeRedemption } from "../../../src/domain/apps/issue-token.ts";
import { type App } from "../../../src/domain/apps/store.ts";
import { digestOf } from "../../../src/domain/secrets.ts";
import { GrantRefused } from "../../../src/domain/errors.ts";
import type { User } from "../../../src/domain/users/store.ts";
import { keys, ttlOf } from "../../../src/redis/keys.ts";
import { UserAndApp, redirectUri, verifier } from "./user-and-app.ts";
import { challengeOf } from "../../support/actors/test-app.ts";

const minute = 60_000;

describe("authorization codes", () => {
  let at: UserAndApp;
  let ctx: Ctx;
  let user: User;
  let app: App;
  beforeEach(async () => {
    at = await UserAndApp.make();
    ({ ctx, user, app } = at);
  });
  afterEach(() => at.world.close());

  /** As if the code had been given so many milliseconds ago, by the clock of Redis. */
  async function age(code: string, milliseconds: number): Promise<void> {
    const [key, field] = [keys.codes(user.id), digestOf(code)];
    const kept = JSON.parse((await ctx.redis.hget(key, field)) ?? "") as Code;
    const until = Date.now() + ttlOf("codes") * 1000 - milliseconds;
    await ctx.redis.hset(key, field, JSON.stringify({ ...kept, until }));
  }

  it("redeeming a code gives a token with the agreed scopes", async () => {
    const { token, scopes } = await at.redeem(await at.allow());
    expect([...scopes]).toEqual(["read"]);
    const opened = await openToken(ctx, token);
    expect(opened?.user?.id).toBe(user.id);
    expect(opened?.grant).toMatchObject({ app: app.client, user: user.id, scopes });
  });

  it("a code is refused for another app, address or verifier, and if it is unknown", async () => {
    const code = await at.allow();
    const other = await at.anotherApp();
    const refused: [string, Partial<CodeRedemption>, App][] = [
      [code, {}, other],
      [code, { redirectUri: "app://back" }, app],
      [code, { redirectUri: `${redirectUri}/` }, app],
      [code, { redirectUri: "" }, app],
      [code, { verifier: "" }, app],
      [code, { verifier: "w".repeat(43) }, app],
      [code, { verifier: challengeOf(verifier) }, app],
      [`${code}x`, {}, app],
      [code.replace(/^\d+/, "999"), {}, app],
      ["", {}, app],
      [`${user.id}.${"x".repeat(43)}`, {}, app],
    ];
    for (const [text, about, by] of refused)
      await expect(at.redeem(text, about, by)).rejects.toThrow(GrantRefused);
    expect(await listGrants(ctx, user.id)).toEqual([]);
    // None of that used the code up.
    expect(await at.isOpen((await at.redeem(code)).token)).toBe(true);
  });

  it("a code requested without a challenge takes no verifier", async () => {
    const code = await at.allow({ challenge: undefined });
    await expect(at.redeem(code)).rejects.toThrow(GrantRefused);
    expect(await at.isOpen((await at.redeem(code, { verifier: "" })).token)).toBe(true);
  });

  it("a code is valid for ten minutes", async () => {
    const [late, early] = [await at.allow(), await at.allow()];
    await age(early, 9 * minute);
    expect(await at.isOpen((await at.redeem(early)).token)).toBe(true);
    await age(late, 10 * minute);
    await expect(at.redeem(late)).rejects.toThrow(GrantRefused);
    // Where a process takes it to be an hour ago.
    at.world.pass(-60 * minute);
    await expect(at.redeem(late)).rejects.toThrow(GrantRefused);
    expect(await ctx.redis.ttl(keys.codes(user.id))).toBeLessThanOrEqual(600);
  });

  it("a code from a process whose clock is an hour ahead is valid for ten minutes, too", async () => {
    at.world.pass(60 * minute);
    const code = await at.allow();
    at.world.pass(-60 * minute);
    await age(code, 10 * minute);
    await expect(at.redeem(code)).rejects.toThrow(GrantRefused);
  });

  it("a code redeemed twice ends the token of the first time, and nothing else", async () => {
    const other = await at.tokenNow();
    const code = await at.allow();
    const { token } = await at.redeem(code);
    await expect(at.redeem(code)).rejects.toThrow(GrantRefused);
    expect([await at.isOpen(token), await at.isOpen(other)]).toEqual([false, true]);
    await expect(at.redeem(code)).rejects.toThrow(GrantRefused);
  });

  it("a code redeemed many times at once gives at most one token", async () => {
    for (let round = 1; round <= 20; round += 1) {
      const code = await at.allow();
      const results = await Promise.allSettled([at.redeem(code), at.redeem(code), at.redeem(code)]);
      const tokens = results.flatMap((one) =>
        one.status === "fulfilled" ? [one.value.token] : [],
      );
      expect(tokens.length).toBeLessThanOrEqual(1);
      // It came more than once, so that nothing that it gave is left.
      for (const token of tokens) expect(await at.isOpen(token)).toBe(false);
    }
    expect(await listGrants(ctx, user.id)).toEqual([]);
  });

  it("redeeming a code while everything is being ended gives no valid token", async () => {
    for (let round = 1; round <= 20; round += 1) {
      const code = await at.allow();
      await Promise.allSettled([at.redeem(code), endAllApps(ctx, user.id)]);
      expect(await listGrants(ctx, user.id)).toEqual([]);
    }
  });
});
