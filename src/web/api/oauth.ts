import type { Request } from "express";
import { z } from "zod";
import type { Ctx } from "../../context.ts";
import { issueAppToken, type IssuedToken, redeemCode } from "../../domain/apps/issue-token.ts";
import { registerApp, type App, authenticateApp } from "../../domain/apps/store.ts";
import { defaultScopes, formatScopes } from "../../domain/apps/scopes.ts";
import { revokeToken } from "../../domain/apps/tokens.ts";
import { GrantRefused } from "../../domain/errors.ts";
import { vapidKeys } from "../../domain/push/endpoints.ts";
import { avatarUrl } from "../layout/avatars.ts";
import { requireApp } from "./bearer.ts";
import { type Endpoint, endpoint, needs } from "./endpoint.ts";
import { address, entity, id } from "./entities/fields.ts";
import { needed, text } from "./input.ts";

const Application = entity("Application", {
  id,
  name: z.string(),
  website: z.string().nullable(),
  scopes: z.array(z.string()),
  redirect_uri: z.string(),
  redirect_uris: z.array(z.string()),
  vapid_key: z.string(),
});

const CredentialApplication = entity("CredentialApplication", {
  ...Application.shape,
  client_id: z.string(),
  client_secret: z.string(),
  client_secret_expires_at: z.literal(0),
});

const redirects = "One or several; urn:ietf:wg:oauth:2.0:oob shows the code on a page.";

const credentials = z.object({
  client_id: text.describe("Or with HTTP Basic."),
  client_secret: text,
});

export const Token = entity("Token", {
  access_token: z.string(),
  token_type: z.literal("Bearer"),
  scope: z.string(),
  created_at: z.int().describe("Seconds since 1970."),
});

const grant = credentials.extend({
  grant_type: needed.describe("authorization_code or client_credentials."),
  code: text,
  redirect_uri: text,
  code_verifier: text.describe("PKCE, S256."),
  scope: text,
});

const UserInfo = entity("UserInfo", {
  iss: address,
  sub: address,
  name: z.string(),
  preferred_username: z.string(),
  profile: address,
  picture: address,
});

/** How apps register, get tokens and give them back. */
export const oauthEndpoints: readonly Endpoint[] = [
  endpoint("POST /api/v1/apps", "Register an app", {
    access: "anybody",
    body: z.object({
      client_name: z.string(),
      redirect_uris: z.union([z.string(), z.array(z.string()).max(100)]).describe(redirects),
      scopes: text.describe("Separated by spaces; default: read."),
      website: text,
    }),
    answer: CredentialApplication,
    counts: "registerApp",
    async handle({ ctx, body }) {
      const { app, secret } = await registerApp(ctx, {
        name: body.client_name,
        redirectUris: urisIn(body.redirect_uris),
        scopes: body.scopes ?? defaultScopes,
        website: body.website ?? "",
      });
      return {
        ...applicationEntity(ctx, app),
        client_id: app.client,
        client_secret: secret,
        client_secret_expires_at: 0 as const,
      };
    },
  }),
  endpoint("GET /api/v1/apps/verify_credentials", "The app of the token", {
    access: "app",
    answer: Application,
    handle: async ({ ctx, res }) => applicationEntity(ctx, await requireApp(ctx, res)),
  }),
  endpoint("POST /oauth/token", "A token for a code, or for the app itself", {
    access: "anybody",
    body: grant,
    answer: Token,
    async handle({ ctx, req, res, body }) {
      const issued = await issue(ctx, req, body);
      res.setHeader("Pragma", "no-cache");
      return tokenEntity(issued);
    },
  }),
  endpoint("POST /oauth/revoke", "Revoke a token", {
    access: "anybody",
    body: credentials.extend({ token: text.describe("Required.") }),
    async handle({ ctx, req, body }) {
      const app = await provenApp(ctx, req, body);
      if (body.token === undefined) throw new GrantRefused("invalid_request");
      await revokeToken(ctx, app, body.token);
    },
  }),
  endpoint("GET /oauth/userinfo", "The user, as OpenID Connect names the fields", {
    access: needs("read:accounts", "profile"),
    answer: UserInfo,
    handle({ viewer, site }) {
      const profile = `${site}/@${viewer.name}`;
      const { fullname: name, name: preferred_username } = viewer;
      const picture = `${site}${avatarUrl(viewer)}`;
      return { iss: `${site}/`, sub: profile, name, preferred_username, profile, picture };
    },
  }),
];

async function issue(ctx: Ctx, req: Request, input: z.output<typeof grant>): Promise<IssuedToken> {
  switch (input.grant_type) {
    case "authorization_code":
      return await redeemCode(ctx, await provenApp(ctx, req, input), {
        code: input.code ?? "",
        redirectUri: input.redirect_uri ?? "",
        verifier: input.code_verifier ?? "",
      });
    case "client_credentials":
      return await issueAppToken(ctx, await provenApp(ctx, req, input), input.scope ?? "");
    default:
      throw new GrantRefused("unsupported_grant_type");
  }
}

/** The only answer that contains the token. */
export function tokenEntity({ token, scopes, createdAt }: IssuedToken): z.output<typeof Token> {
  return {
    access_token: token,
    token_type: "Bearer",
    scope: formatScopes(scopes),
    created_at: Math.floor(createdAt / 1e6),
  };
}

/** The app says who it is in a header, or in the body. Throws GrantRefused. */
async function provenApp(ctx: Ctx, req: Request, input: z.output<typeof credentials>) {
  const { client_id: client = "", client_secret: secret = "" } = input;
  return await authenticateApp(ctx, basicOf(req) ?? { client, secret });
}

/** Credentials of a `Basic` header; each half is percent-encoded first (RFC 6749, 2.3.1). */
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

/** A list, or URIs separated by white space. */
function urisIn(uris: string | string[]): string[] {
  const listed = typeof uris === "string" ? uris.split(/\s+/) : uris;
  return listed.map((uri) => uri.trim()).filter((uri) => uri !== "");
}

/** The public part of an app. */
function applicationEntity({ config }: Ctx, app: App): z.output<typeof Application> {
  return {
    id: app.id,
    name: app.name,
    website: app.website === "" ? null : app.website,
    scopes: [...app.scopes],
    redirect_uri: app.redirectUris.join("\n"),
    redirect_uris: [...app.redirectUris],
    vapid_key: vapidKeys(config).publicKey,
  };
}
