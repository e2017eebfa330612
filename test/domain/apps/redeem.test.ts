import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Ctx } from "../../../src/context.ts";
import { changePassword } from "../../../src/domain/accounts/change-password.ts";
import { allowApp } from "../../../src/domain/apps/authorize.ts";
import type { Consent } from "../../../src/domain/apps/codes.ts";
import { openToken } from "../../../src/domain/apps/open-token.ts";
import { proveApp, revokeToken } from "../../../src/domain/apps/prove.ts";
import { grantToApp, redeemCode, type Redemption } from "../../../src/domain/apps/redeem.ts";
import { registerApp } from "../../../src/domain/apps/register.ts";
import { type App, findApp } from "../../../src/domain/apps/store.ts";
import { endAllApps, endApp, listGrants } from "../../../src/domain/apps/tokens.ts";
import { GrantRefused } from "../../../src/domain/errors.ts";
import { reinstateUser, suspendUser } from "../../../src/domain/users/suspension.ts";
import { getUserByName, type User } from "../../../src/domain/users/store.ts";
import { keys } from "../../../src/redis/keys.ts";
import { challengeOf } from "../../support/app.ts";
import { dump } from "../../support/dump.ts";
import { password } from "../../support/visitor.ts";
import { createWorld, type World } from "../../support/world.ts";

const redirectUri = "https://app.example/callback";
const verifier = "v".repeat(43);
const minute = 60_000;
const day = 24 * 60 * minute;

describe("letting an app in", () => {
  let world: World;
  let ctx: Ctx;
  let user: User;
  let app: App;
  let secret: string;
  beforeEach(async () => {
    world = await createWorld({}, { workers: false });
    ({ ctx } = world);
    await world.newcomer("person");
    user = await getUserByName(ctx, "person");
    ({ app, secret } = await register());
  });
  afterEach(() => world.close());

  const register = (name = "Birdwatch") =>
    registerApp(ctx, {
      name,
      redirectUris: [redirectUri, "app://back"],
      scopes: "read write",
      website: "",
    });
  const allow = (about: Partial<Consent> = {}) =>
    allowApp(ctx, user.id, {
      app: app.client,
      redirectUri,
      scopes: "read",
      challenge: challengeOf(verifier),
      ...about,
    });
  const redeem = (code: string, about: Partial<Redemption> = {}, by = app) =>
    redeemCode(ctx, by, { code, redirectUri, verifier, ...about });
  const tokenNow = async () => (await redeem(await allow())).token;
  const isOpen = async (token: string) => (await openToken(ctx, token)) !== undefined;

  it("gives a token for a code, which lets in for what was agreed to", async () => {
    const { token, scopes } = await redeem(await allow());
    expect([...scopes]).toEqual(["read"]);
    const opened = await openToken(ctx, token);
    expect(opened?.user?.id).toBe(user.id);
    expect(opened?.grant).toMatchObject({ app: app.client, user: user.id, scopes });
  });

  it("gives nothing for a code that is another app's, address's, verifier's or nobody's", async () => {
    const code = await allow();
    const { app: other } = await register("Other");
    const refused: [string, Partial<Redemption>, App][] = [
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
      await expect(redeem(text, about, by)).rejects.toThrow(GrantRefused);
    expect(await listGrants(ctx, user.id)).toEqual([]);
    // None of that used the code up.
    expect(await isOpen((await redeem(code)).token)).toBe(true);
  });

  it("takes no verifier for a code that was asked for without", async () => {
    const code = await allow({ challenge: undefined });
    await expect(redeem(code)).rejects.toThrow(GrantRefused);
    expect(await isOpen((await redeem(code, { verifier: "" })).token)).toBe(true);
  });

  it("takes a code for ten minutes", async () => {
    const [late, early] = [await allow(), await allow()];
    world.pass(9 * minute);
    expect(await isOpen((await redeem(early)).token)).toBe(true);
    world.pass(minute);
    await expect(redeem(late)).rejects.toThrow(GrantRefused);
    expect(await ctx.redis.ttl(keys.codes(user.id))).toBeLessThanOrEqual(600);
  });

  it("takes a code once; a second time ends what the first one gave, and nothing else", async () => {
    const other = await tokenNow();
    const code = await allow();
    const { token } = await redeem(code);
    await expect(redeem(code)).rejects.toThrow(GrantRefused);
    expect([await isOpen(token), await isOpen(other)]).toEqual([false, true]);
    await expect(redeem(code)).rejects.toThrow(GrantRefused);
  });

  it("gives at most one token for a code that comes many times at once", async () => {
    for (let round = 1; round <= 20; round += 1) {
      const code = await allow();
      const results = await Promise.allSettled([redeem(code), redeem(code), redeem(code)]);
      const tokens = results.flatMap((one) =>
        one.status === "fulfilled" ? [one.value.token] : [],
      );
      expect(tokens.length).toBeLessThanOrEqual(1);
      // It came more than once, so that nothing that it gave is left.
      for (const token of tokens) expect(await isOpen(token)).toBe(false);
    }
    expect(await listGrants(ctx, user.id)).toEqual([]);
  });

  it("leaves nothing to an app that comes while everything is being ended", async () => {
    for (let round = 1; round <= 20; round += 1) {
      const code = await allow();
      await Promise.allSettled([redeem(code), endAllApps(ctx, user.id)]);
      expect(await listGrants(ctx, user.id)).toEqual([]);
    }
  });

  it("ends with a change of password, codes too", async () => {
    const [token, code] = [await tokenNow(), await allow()];
    const change = { current: password, next: "a new horse 43", session: "none" };
    await changePassword(ctx, user, change);
    expect(await isOpen(token)).toBe(false);
    await expect(redeem(code)).rejects.toThrow(GrantRefused);
  });

  it("is refused while somebody is suspended", async () => {
    const [token, code] = [await tokenNow(), await allow()];
    await suspendUser(ctx, user);
    expect(await isOpen(token)).toBe(false);
    await expect(redeem(code)).rejects.toThrow(GrantRefused);
    await reinstateUser(ctx, user);
    expect(await isOpen(token)).toBe(true);
  });

  it("ends for one app on all its devices, and for no other app", async () => {
    const { app: other } = await register("Other");
    const kept = await redeem(await allow({ app: other.client }), {}, other);
    const [phone, laptop] = [await tokenNow(), await tokenNow()];
    await endApp(ctx, user.id, app.client);
    expect(await Promise.all([phone, laptop, kept.token].map(isOpen))).toEqual([
      false,
      false,
      true,
    ]);
  });

  it("ends when the app gives its token back, which no other app can", async () => {
    const token = await tokenNow();
    const { app: other } = await register("Other");
    await expect(revokeToken(ctx, other, token)).rejects.toThrow(GrantRefused);
    await revokeToken(ctx, app, "1.nothing");
    expect(await isOpen(token)).toBe(true);
    await revokeToken(ctx, app, token);
    await revokeToken(ctx, app, token);
    expect(await isOpen(token)).toBe(false);
  });

  it("keeps no secret, code or token as it is", async () => {
    const code = await allow();
    const { token } = await redeem(await allow());
    const own = await grantToApp(ctx, app, "");
    const stored = JSON.stringify([...(await dump(ctx))]);
    for (const text of [secret, code, token, own.token]) {
      expect(stored).not.toContain(text);
      expect(stored).not.toContain(text.split(".").at(-1));
    }
    expect(await proveApp(ctx, { client: app.client, secret })).toEqual(app);
    for (const wrong of ["", secret.slice(1), `${secret} `, app.secret])
      await expect(proveApp(ctx, { client: app.client, secret: wrong })).rejects.toThrow(
        "invalid_client",
      );
  });

  it("has no more tokens and codes of one person than there is room for: those not used go first", async () => {
    const first = await tokenNow();
    const tokens = [];
    for (let nth = 1; nth <= 100; nth += 1) {
      world.pass(day + minute);
      tokens.push(await tokenNow());
      if (nth < 100) expect(await isOpen(first)).toBe(true);
    }
    expect(await ctx.redis.hlen(keys.tokens(user.id))).toBe(100);
    expect(await isOpen(first)).toBe(true);
    expect(await isOpen(tokens[0] ?? "")).toBe(false);
    for (let nth = 1; nth <= 25; nth += 1) await allow();
    expect(await ctx.redis.hlen(keys.codes(user.id))).toBe(20);
  });

  it("notes the use of a token once a day, and does not bring back one that was ended", async () => {
    const token = await tokenNow();
    const usedAt = async () => (await listGrants(ctx, user.id))[0]?.usedAt ?? 0;
    const made = await usedAt();
    world.pass(day / 2);
    await isOpen(token);
    expect(await usedAt()).toBe(made);
    world.pass(day);
    await isOpen(token);
    const noted = await usedAt();
    expect(noted).toBeGreaterThan(made);
    for (let round = 1; round <= 20; round += 1) {
      const other = await tokenNow();
      world.pass(2 * day);
      await Promise.all([openToken(ctx, other), endAllApps(ctx, user.id)]);
      expect(await listGrants(ctx, user.id)).toEqual([]);
    }
  });

  it("forgets an app in a week unless somebody lets it in", async () => {
    const life = async () => await ctx.redis.ttl(keys.app(app.client));
    expect(await life()).toBeGreaterThan(6 * 24 * 3600);
    expect(await life()).toBeLessThanOrEqual(7 * 24 * 3600);
    const { token } = await grantToApp(ctx, app, "read");
    expect(await life()).toBeGreaterThan(29 * 24 * 3600);
    expect((await openToken(ctx, token))?.user).toBeUndefined();
    await ctx.redis.expire(keys.app(app.client), 1000);
    await ctx.redis.expire(keys.appTokens(app.client), 1000);
    world.pass(2 * day);
    expect(await isOpen(token)).toBe(true);
    expect(await life()).toBeGreaterThan(29 * 24 * 3600);
    expect(await ctx.redis.ttl(keys.appTokens(app.client))).toBeGreaterThan(29 * 24 * 3600);
    await allow();
    await grantToApp(ctx, app, "read");
    expect(await life()).toBe(-1);
    expect(await findApp(ctx, app.client)).toEqual(app);
  });

  it("gives an app of its own no more than it registered for, ten times", async () => {
    await expect(grantToApp(ctx, app, "follow")).rejects.toThrow("invalid_scope");
    await expect(grantToApp(ctx, app, "everything")).rejects.toThrow("invalid_scope");
    for (let nth = 1; nth <= 15; nth += 1) await grantToApp(ctx, app, "read");
    expect(await ctx.redis.hlen(keys.appTokens(app.client))).toBe(10);
  });
});
