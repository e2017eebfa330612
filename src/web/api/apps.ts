import { z } from "zod";
import type { Ctx } from "../../context.ts";
import { registerApp } from "../../domain/apps/register.ts";
import { defaultScopes } from "../../domain/apps/scopes.ts";
import type { App } from "../../domain/apps/store.ts";
import { vapidKeys } from "../../domain/push/vapid.ts";
import { requireApp } from "./bearer.ts";
import { type Endpoint, endpoint } from "./endpoint.ts";
import { id } from "./entities/parts.ts";
import { text } from "./input.ts";

const Application = z
  .strictObject({
    id,
    name: z.string(),
    website: z.string().nullable(),
    scopes: z.array(z.string()),
    redirect_uri: z.string(),
    redirect_uris: z.array(z.string()),
    vapid_key: z.string(),
  })
  .meta({ id: "Application" });

const CredentialApplication = z
  .strictObject({
    ...Application.shape,
    client_id: z.string(),
    client_secret: z.string(),
    client_secret_expires_at: z.literal(0),
  })
  .meta({ id: "CredentialApplication" });

const redirects = "One or several; urn:ietf:wg:oauth:2.0:oob shows the code on a page.";

export const appEndpoints: readonly Endpoint[] = [
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
];

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
