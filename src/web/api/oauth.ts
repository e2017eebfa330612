import { type Request, type Response, Router } from "express";
import { z } from "zod";
import type { Ctx } from "../../context.ts";
import { authenticateApp, type App } from "../../domain/apps/store.ts";
import { revokeToken } from "../../domain/apps/tokens.ts";
import { issueAppToken, type IssuedToken, redeemCode } from "../../domain/apps/issue-token.ts";
import { allScopes, formatScopes } from "../../domain/apps/scopes.ts";
import { GrantRefused, Invalid } from "../../domain/errors.ts";
import { limitAct } from "../middleware/limits.ts";
import { sendPublic, siteOrigin } from "../send-public.ts";
import { emptyObject, one, type Operation } from "./endpoint.ts";
import { needed, readInput, text } from "./input.ts";

const hour = 60 * 60;

const credentials = { client_id: text.describe("Or with HTTP Basic."), client_secret: text };

/** Its body is read in OAuth's own words; see understand. */
const issuing = {
  method: "post",
  path: "/oauth/token",
  summary: "A token for a code, or for the app itself",
  access: "anybody",
  body: z.object({
    ...credentials,
    grant_type: needed.describe("authorization_code or client_credentials."),
    code: text,
    redirect_uri: text,
    code_verifier: text.describe("PKCE, S256."),
    scope: text,
  }),
  answer: one("Token"),
} satisfies Operation;

const revoking = {
  method: "post",
  path: "/oauth/revoke",
  summary: "Give a token back",
  access: "anybody",
  body: z.object({ ...credentials, token: text.describe("Has to be there.") }),
  answer: emptyObject,
} satisfies Operation;

export const oauthOperations: readonly Operation[] = [issuing, revoking];

/** How apps get tokens and give them back. Its errors are OAuth's, so it has its own router. */
export function oauthApi(ctx: Ctx): Router {
  const router = Router();

  router.post(issuing.path, limitAct(ctx, "tokens"), async (req: Request, res: Response) => {
    const input = understand(issuing.body, req);
    const issued = await issue(input, () => provenApp(ctx, req, input));
    res.setHeader("Pragma", "no-cache");
    res.json(tokenEntity(issued));
  });

  async function issue(
    input: z.output<typeof issuing.body>,
    prove: () => Promise<App>,
  ): Promise<IssuedToken> {
    switch (input.grant_type) {
      case "authorization_code":
        return await redeemCode(ctx, await prove(), {
          code: input.code ?? "",
          redirectUri: input.redirect_uri ?? "",
          verifier: input.code_verifier ?? "",
        });
      case "client_credentials":
        return await issueAppToken(ctx, await prove(), input.scope ?? "");
      default:
        throw new GrantRefused("unsupported_grant_type");
    }
  }

  router.post(revoking.path, async (req: Request, res: Response) => {
    const input = understand(revoking.body, req);
    const app = await provenApp(ctx, req, input);
    if (input.token === undefined) throw new GrantRefused("invalid_request");
    await revokeToken(ctx, app, input.token);
    res.json({});
  });

  router.get("/.well-known/oauth-authorization-server", (req, res) => {
    const body = JSON.stringify(metadata(siteOrigin(ctx, req)));
    sendPublic(res, { type: "application/json", body, seconds: hour });
  });

  return router;
}

/** The only answer that contains the token. */
export function tokenEntity({ token, scopes, createdAt }: IssuedToken) {
  return {
    access_token: token,
    token_type: "Bearer",
    scope: formatScopes(scopes),
    created_at: Math.floor(createdAt / 1e6),
  };
}

/** Throws GrantRefused for what is no request: in OAuth's words rather than those of a form. */
function understand<Schema extends z.ZodType>(schema: Schema, req: Request): z.output<Schema> {
  try {
    return readInput(schema, req.body);
  } catch (error) {
    throw error instanceof Invalid ? new GrantRefused("invalid_request") : error;
  }
}

/** The app says who it is in a header, or in the body. Throws GrantRefused. */
async function provenApp(
  ctx: Ctx,
  req: Request,
  {
    client_id: client = "",
    client_secret: secret = "",
  }: { [Field in keyof typeof credentials]?: string | undefined },
): Promise<App> {
  return await authenticateApp(ctx, basicOf(req) ?? { client, secret });
}

/** Of `Basic`, each half is percent-encoded first (RFC 6749, 2.3.1). */
function basicOf(req: Request): { client: string; secret: string } | undefined {
  const [, encoded] = /^Basic +([\w+/=-]+)$/i.exec(req.headers.authorization ?? "") ?? [];
  if (encoded === undefined) return undefined;
  const [client = "", secret = ""] = Buffer.from(encoded, "base64").toString().split(/:(.*)/s);
  return { client: decoded(client), secret: decoded(secret) };
}

function decoded(raw: string): string {
  try {
    return decodeURIComponent(raw);
  } catch {
    return raw;
  }
}

/** RFC 8414, with what Mastodon adds. */
function metadata(origin: string) {
  return {
    issuer: origin,
    service_documentation: `${origin}/about`,
    authorization_endpoint: `${origin}/oauth/authorize`,
    token_endpoint: `${origin}/oauth/token`,
    app_registration_endpoint: `${origin}/api/v1/apps`,
    revocation_endpoint: `${origin}/oauth/revoke`,
    scopes_supported: allScopes,
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", "client_credentials"],
    token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post"],
    revocation_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post"],
    code_challenge_methods_supported: ["S256"],
  };
}
