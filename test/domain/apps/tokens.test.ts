import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Ctx } from "../../../src/context.ts";
import { changePassword } from "../../../src/domain/accounts/change-password.ts";
import {
  openToken,
  revokeToken,
  endAllApps,
  endApp,
  listGrants,
} from "../../../src/domain/apps/tokens.ts";
import { authenticateApp, type App, findApp } from "../../../src/domain/apps/store.ts";
import { issueAppToken } from "../../../src/domain/apps/issue-token.ts";
import { GrantRefused } from "../../../src/domain/errors.ts";
import { reinstateUser, suspendUser } from "../../../src/domain/users/suspension.ts";
import type { User } from "../../../src/domain/users/store.ts";
import { keys } from "../../../src/redis/keys.ts";
import { UserAndApp } from "./user-and-app.ts";
import { dump } from "../../support/world/dump.ts";
import { password } from "../../support/actors/visitor.ts";

const minute = 60_000;
const day = 24 * 60 * minute;

describe("tokens and codes of apps", () => {
  let at: UserAndApp;
  let ctx: Ctx;
  let user: User;
  let app: App;
  beforeEach(async () => {
    at = await UserAndApp.make();
    ({ ctx, user, app } = at);
  });
  afterEach(() => at.world.close());

  it("changing the password ends tokens and codes", async () => {
    const [token, code] = [await at.tokenNow(), await at.allow()];
    const change = { current: password, next: "a new horse 43", session: "none" };
    await changePassword(ctx, user, change);
    expect(await at.isOpen(token)).toBe(false);
    await expect(at.redeem(code)).rejects.toThrow(GrantRefused);
  });

  it("a suspension ends tokens, and reinstating does not bring them back", async () => {
    const [token, code] = [await at.tokenNow(), await at.allow()];
    await suspendUser(ctx, user);
    expect(await at.isOpen(token)).toBe(false);
    await expect(at.redeem(code)).rejects.toThrow(GrantRefused);
    await reinstateUser(ctx, user);
    expect(await at.isOpen(token)).toBe(false);
  });

  it("ending one app ends it on all devices, and no other app", async () => {
    const other = await at.anotherApp();
    const kept = await at.redeem(await at.allow({ app: other.client }), {}, other);
    const [phone, laptop] = [await at.tokenNow(), await at.tokenNow()];
    await endApp(ctx, user.id, app.client);
    expect(await Promise.all([phone, laptop, kept.token].map((token) => at.isOpen(token)))).toEqual(
      [false, false, true],
    );
  });

  it("ending one app ends its unused codes, and no other app's", async () => {
    const other = await at.anotherApp();
    const [code, kept] = [await at.allow(), await at.allow({ app: other.client })];
    await endApp(ctx, user.id, app.client);
    await expect(at.redeem(code)).rejects.toThrow(GrantRefused);
    expect(await at.isOpen((await at.redeem(kept, {}, other)).token)).toBe(true);
  });

  it("a code redeemed while its app is being ended gives no access", async () => {
    for (let round = 1; round <= 20; round += 1) {
      const code = await at.allow();
      await Promise.allSettled([at.redeem(code), endApp(ctx, user.id, app.client)]);
      expect(await listGrants(ctx, user.id)).toEqual([]);
    }
  });

  it("an app can give its token back, which no other app can", async () => {
    const token = await at.tokenNow();
    const other = await at.anotherApp();
    await expect(revokeToken(ctx, other, token)).rejects.toThrow(GrantRefused);
    await revokeToken(ctx, app, "1.nothing");
    expect(await at.isOpen(token)).toBe(true);
    await revokeToken(ctx, app, token);
    await revokeToken(ctx, app, token);
    expect(await at.isOpen(token)).toBe(false);
  });

  it("secrets, codes and tokens are stored only as digests", async () => {
    const code = await at.allow();
    const { token } = await at.redeem(await at.allow());
    const own = await issueAppToken(ctx, app, "");
    const stored = JSON.stringify([...(await dump(ctx))]);
    for (const text of [at.secret, code, token, own.token]) {
      expect(stored).not.toContain(text);
      expect(stored).not.toContain(text.split(".").at(-1));
    }
    expect(await authenticateApp(ctx, { client: app.client, secret: at.secret })).toEqual(app);
    for (const wrong of ["", at.secret.slice(1), `${at.secret} `, app.secret])
      await expect(authenticateApp(ctx, { client: app.client, secret: wrong })).rejects.toThrow(
        "invalid_client",
      );
  });

  it("tokens and codes of a user are bounded: the unused go first", async () => {
    const first = await at.tokenNow();
    const tokens = [];
    for (let nth = 1; nth <= 100; nth += 1) {
      at.world.pass(day + minute);
      await openToken(ctx, first);
      tokens.push(await at.tokenNow());
    }
    expect(await ctx.redis.hlen(keys.tokens(user.id))).toBe(100);
    expect(await at.isOpen(first)).toBe(true);
    expect(await at.isOpen(tokens[0] ?? "")).toBe(false);
    for (let nth = 1; nth <= 25; nth += 1) await at.allow();
    expect(await ctx.redis.hlen(keys.codes(user.id))).toBe(20);
  });

  it("a token's use is noted once a day, and an ended token does not come back", async () => {
    const token = await at.tokenNow();
    const usedAt = async () => (await listGrants(at.ctx, at.user.id))[0]?.usedAt ?? 0;
    const made = await usedAt();
    at.world.pass(day / 2);
    await at.isOpen(token);
    expect(await usedAt()).toBe(made);
    at.world.pass(day);
    await at.isOpen(token);
    const noted = await usedAt();
    expect(noted).toBeGreaterThan(made);
    for (let round = 1; round <= 20; round += 1) {
      const other = await at.tokenNow();
      at.world.pass(2 * day);
      await Promise.all([openToken(ctx, other), endAllApps(ctx, user.id)]);
      expect(await listGrants(ctx, user.id)).toEqual([]);
    }
  });

  it("an unused app is forgotten in two days, or in a week if it only has tokens of its own (L2)", async () => {
    const life = async () => await ctx.redis.ttl(keys.app(app.client));
    expect(await life()).toBeGreaterThan(24 * 3600);
    expect(await life()).toBeLessThanOrEqual(2 * 24 * 3600);
    const { token } = await issueAppToken(ctx, app, "read");
    expect(await life()).toBeGreaterThan(6 * 24 * 3600);
    expect(await life()).toBeLessThanOrEqual(7 * 24 * 3600);
    expect((await openToken(ctx, token))?.user).toBeUndefined();
    await ctx.redis.expire(keys.app(app.client), 1000);
    await ctx.redis.expire(keys.appTokens(app.client), 1000);
    at.world.pass(2 * day);
    expect(await at.isOpen(token)).toBe(true);
    expect(await life()).toBeGreaterThan(6 * 24 * 3600);
    expect(await ctx.redis.ttl(keys.appTokens(app.client))).toBeGreaterThan(6 * 24 * 3600);
    await at.allow();
    await issueAppToken(ctx, app, "read");
    expect(await life()).toBe(-1);
    expect(await findApp(ctx, app.client)).toEqual(app);
  });

  it("an app's own tokens have at most its registered scopes, and are ten at most", async () => {
    await expect(issueAppToken(ctx, app, "follow")).rejects.toThrow("invalid_scope");
    await expect(issueAppToken(ctx, app, "everything")).rejects.toThrow("invalid_scope");
    for (let nth = 1; nth <= 15; nth += 1) await issueAppToken(ctx, app, "read");
    expect(await ctx.redis.hlen(keys.appTokens(app.client))).toBe(10);
  });
});
