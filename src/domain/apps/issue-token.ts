import type { Ctx } from "../../context.ts";
import { GrantRefused } from "../errors.ts";
import type { VerifiedLogIn } from "../users/log-in.ts";
import { findUser } from "../users/store.ts";
import type { FoundToken } from "../users/user-tokens.ts";
import { claimCode, type Code, codes } from "./authorize.ts";
import { parseScopes, requestedScopes } from "./scopes.ts";
import { type App, keepApp, prolongApp } from "./store.ts";
import { digestOf, isSameSecret } from "../secrets.ts";
import { dropToken, type Grant, locateTokenByDigest, newToken, storeToken } from "./tokens.ts";

/** A token; it is returned once and never stored. */
export type IssuedToken = Awaited<ReturnType<typeof issue>>;

/** What an app sends to fetch its token. */
export interface CodeRedemption {
  code: string;
  redirectUri: string;
  /** PKCE; empty without it. */
  verifier: string;
}

/** A token for a code. A code that is used twice may be stolen: its token ends. Throws GrantRefused. */
export async function redeemCode(ctx: Ctx, app: App, brought: CodeRedemption) {
  const code = await codes.find(ctx, brought.code);
  if (code === undefined || !isFor(code.value, app, brought))
    throw new GrantRefused("invalid_grant");
  const user = await findUser(ctx, code.user);
  if (user === undefined || user.suspended || user.generation !== (code.value.generation ?? ""))
    throw new GrantRefused("invalid_grant");
  if (code.value.token !== undefined) await refuseReuse(ctx, code, code.value.token);

  const scopes = parseScopes(code.value.scopes) ?? new Set();
  const { token, location: kept } = newToken({ app: app.client, user: user.id });
  if (!(await claimCode(ctx, code, kept.field))) {
    const used = await codes.find(ctx, brought.code);
    return await refuseReuse(ctx, code, used?.value.token);
  }
  const { generation } = user;
  const createdAt = await storeToken(ctx, kept, { app: app.client, scopes, generation });
  // The last check: the code may have been dropped meanwhile, before its token was stored.
  if ((await codes.find(ctx, brought.code)) === undefined) {
    await dropToken(ctx, kept);
    throw new GrantRefused("invalid_grant");
  }
  return { token, scopes, createdAt };
}

function isFor(code: Code, app: App, { redirectUri, verifier }: CodeRedemption): boolean {
  if (code.app !== app.client || code.redirectUri !== redirectUri) return false;
  if (code.challenge === undefined) return verifier === "";
  return /^[\w.~-]{43,128}$/.test(verifier) && isSameSecret(digestOf(verifier), code.challenge);
}

/** The code goes first: a request that is about to store its token looks for the code afterwards. */
async function refuseReuse(
  ctx: Ctx,
  { user, field }: FoundToken<Code>,
  token: string | undefined,
): Promise<never> {
  await codes.of(ctx, user).remove(field);
  if (token !== undefined) await dropToken(ctx, locateTokenByDigest(user, token));
  throw new GrantRefused("invalid_grant");
}

/** A token with which the app acts for itself, without a user. Throws GrantRefused. */
export async function issueAppToken(ctx: Ctx, app: App, scope: string) {
  const scopes = requestedScopes(app.scopes, scope);
  if (scopes === undefined) throw new GrantRefused("invalid_scope");
  await prolongApp(ctx, app.client);
  return await issue(ctx, { app: app.client, user: undefined, scopes });
}

/**
 * A token for a user who has just signed up in an app, with all scopes of the app. Signing up in the app
 * counts as consent.
 */
export async function issueSignUpToken(ctx: Ctx, app: App, { user, generation }: VerifiedLogIn) {
  const { client, scopes } = app;
  await keepApp(ctx, client);
  return await issue(ctx, { app: client, user, scopes, generation });
}

async function issue(
  ctx: Ctx,
  grant: Pick<Grant, "app" | "user" | "scopes"> & { generation?: string },
) {
  const { token, location } = newToken(grant);
  const createdAt = await storeToken(ctx, location, grant);
  return { token, scopes: grant.scopes, createdAt };
}
