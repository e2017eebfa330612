import type { Ctx } from "../../context.ts";
import { parseClientId } from "../ids.ts";
import type { VerifiedLogIn } from "../users/log-in.ts";
import { type Consent, issueCode } from "./codes.ts";
import { requestedScopes, formatScopes } from "./scopes.ts";
import { type App, findApp, keepApp } from "./store.ts";

/** Parameters with which an app sends a browser to the authorization page. */
export interface AuthorizationRequest {
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
export async function allowApp(ctx: Ctx, by: VerifiedLogIn, consent: Consent): Promise<string> {
  await keepApp(ctx, consent.app);
  return await issueCode(ctx, by, consent);
}
