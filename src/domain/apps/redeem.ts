import type { Ctx } from "../../context.ts";
import { GrantRefused } from "../errors.ts";
import type { Stamp } from "../stamp.ts";
import { findUser } from "../users/store.ts";
import {
  claimCode,
  type Code,
  type CodeLocation,
  dropCode,
  locateCode,
  readCode,
} from "./codes.ts";
import { askedScopes, parseScopes, type Scopes } from "./scopes.ts";
import { digestOf, isSameSecret } from "./secrets.ts";
import { type App, prolongApp } from "./store.ts";
import { dropToken, keepToken, newToken, locateTokenByDigest } from "./tokens.ts";

/** A token; it is returned once and never stored. */
export interface Issued {
  token: string;
  scopes: Scopes;
  createdAt: Stamp;
}

/** What an app sends to fetch its token. */
export interface Redemption {
  code: string;
  redirectUri: string;
  /** PKCE; empty without it. */
  verifier: string;
}

/** A token for a code. A code that is used twice may be stolen: its token ends. Throws GrantRefused. */
export async function redeemCode(ctx: Ctx, app: App, brought: Redemption): Promise<Issued> {
  const location = locateCode(brought.code);
  const found = location && (await readCode(ctx, location));
  if (location === undefined || found === undefined) throw new GrantRefused("invalid_grant");
  if (!isFor(found.code, app, brought)) throw new GrantRefused("invalid_grant");
  const user = await findUser(ctx, location.user);
  if (user === undefined || user.suspended || user.generation !== (found.code.generation ?? ""))
    throw new GrantRefused("invalid_grant");
  if (found.code.token !== undefined) await refuseReuse(ctx, location, found.code.token);

  const scopes = parseScopes(found.code.scopes) ?? new Set();
  const { token, location: kept } = newToken({ app: app.client, user: user.id });
  if (!(await claimCode(ctx, location, found, kept.field))) {
    const used = await readCode(ctx, location);
    return await refuseReuse(ctx, location, used?.code.token);
  }
  const { generation } = user;
  const createdAt = await keepToken(ctx, kept, { app: app.client, scopes, generation });
  // The last check: the code may have been dropped meanwhile, before its token was stored.
  if ((await readCode(ctx, location)) === undefined) {
    await dropToken(ctx, kept);
    throw new GrantRefused("invalid_grant");
  }
  return { token, scopes, createdAt };
}

function isFor(code: Code, app: App, { redirectUri, verifier }: Redemption): boolean {
  if (code.app !== app.client || code.redirectUri !== redirectUri) return false;
  if (code.challenge === undefined) return verifier === "";
  return /^[\w.~-]{43,128}$/.test(verifier) && isSameSecret(digestOf(verifier), code.challenge);
}

/** The code goes first: a request that is about to store its token looks for the code afterwards. */
async function refuseReuse(
  ctx: Ctx,
  location: CodeLocation,
  token: string | undefined,
): Promise<never> {
  await dropCode(ctx, location);
  if (token !== undefined) await dropToken(ctx, locateTokenByDigest(location.user, token));
  throw new GrantRefused("invalid_grant");
}

/** A token with which the app acts for itself, without a user. Throws GrantRefused. */
export async function grantToApp(ctx: Ctx, app: App, scope: string): Promise<Issued> {
  const scopes = askedScopes(app.scopes, scope);
  if (scopes === undefined) throw new GrantRefused("invalid_scope");
  const { token, location } = newToken({ app: app.client, user: undefined });
  await prolongApp(ctx, app.client);
  const createdAt = await keepToken(ctx, location, { app: app.client, scopes });
  return { token, scopes, createdAt };
}
