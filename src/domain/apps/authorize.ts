import type { Ctx } from "../../context.ts";
import { type ClientId, parseClientId, type UserId } from "../ids.ts";
import type { VerifiedLogIn } from "../users/log-in.ts";
import { requireRight, requireRightOr } from "../users/roles.ts";
import { type FoundToken, userTokens } from "../users/user-tokens.ts";
import { formatScopes, requestedScopes } from "./scopes.ts";
import { type App, findApp, keepApp } from "./store.ts";

/** What a user has agreed to. */
export interface Consent {
  app: ClientId;
  redirectUri: string;
  /** Spelled by formatScopes. */
  scopes: string;
  /** PKCE: S256 of the verifier that the app will send, if it uses PKCE. */
  challenge: string | undefined;
}

export interface Code extends Consent {
  /** Of the user, see User.generation; absent for the first. */
  generation?: string;
  /** Digest of the one token that was issued for it. */
  token?: string;
}

/** Codes that lead an app to the consent for ten minutes, used or not. */
export const codes = userTokens<Code>("codes");

/** Parameters with which an app sends a browser to the authorization page. */
interface AuthorizationRequest {
  client: string;
  redirectUri: string;
  responseType: string;
  scope: string;
  /** PKCE; both are empty without it. */
  challenge: string;
  challengeMethod: string;
}

/** OAuth's own error codes (RFC 6749, 4.1.2.1), sent to the app. */
type AuthorizationProblem = "invalid_request" | "invalid_scope" | "unsupported_response_type";

/**
 * The requesting app, if the address is exactly one of its registered ones: only then may anything be sent to
 * that address.
 */
export async function findRequestingApp(
  ctx: Ctx,
  { client, redirectUri }: Pick<AuthorizationRequest, "client" | "redirectUri">,
): Promise<App | undefined> {
  const id = parseClientId(client);
  const app = id && (await findApp(ctx, id));
  return app?.redirectUris.includes(redirectUri) === true ? app : undefined;
}

/** What the user would agree to, or an error. */
export function consentFor(app: App, asked: AuthorizationRequest): Consent | AuthorizationProblem {
  if (asked.responseType !== "code") return "unsupported_response_type";
  const { challenge, challengeMethod: method } = asked;
  const isPlain = challenge === "" && method === "";
  // Without a method it would be "plain", which does not protect from a reader of the address.
  if (!isPlain && (method !== "S256" || !/^[\w-]{43}$/.test(challenge))) return "invalid_request";
  const scopes = requestedScopes(app.scopes, asked.scope);
  if (scopes === undefined) return "invalid_scope";
  return {
    app: app.client,
    redirectUri: asked.redirectUri,
    scopes: formatScopes(scopes),
    challenge: isPlain ? undefined : challenge,
  };
}

/** The user allows an app: returns the code with which it fetches its token. The app is kept for good from now on. */
export async function allowApp(
  ctx: Ctx,
  { user, generation }: VerifiedLogIn,
  consent: Consent,
): Promise<string> {
  await keepApp(ctx, consent.app);
  await requireRight();
  const code = await codes.issue(ctx, user, { ...consent, generation });
  await requireRightOr(() => dropCodesFor(ctx, user, consent.app));
  return code;
}

/** Uses a code for one token. False if it was used or dropped meanwhile. May run twice. */
export async function claimCode(ctx: Ctx, code: FoundToken<Code>, token: string): Promise<boolean> {
  const all = codes.of(ctx, code.user);
  if (await all.replace(code, { ...code.value, token })) return true;
  // If the client sent the command twice, the first one made this change.
  return (await all.find(code.field))?.value.token === token;
}

/** Used and unused codes of an app. */
export async function dropCodesFor(ctx: Ctx, user: UserId, app: ClientId): Promise<void> {
  const all = codes.of(ctx, user);
  const dropped = (await all.list()).filter(({ value }) => value.app === app);
  await all.remove(...dropped.map(({ field }) => field));
}
