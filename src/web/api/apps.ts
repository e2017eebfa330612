import { z } from "zod";
import { registerApp } from "../../domain/apps/register.ts";
import { defaultScopes } from "../../domain/apps/scopes.ts";
import { type App, findApp } from "../../domain/apps/store.ts";
import { InvalidToken } from "../../domain/errors.ts";
import { limitAct } from "../middleware/limits.ts";
import { requireApp } from "./bearer.ts";
import { type Endpoint, endpoint, one } from "./endpoint.ts";
import { text } from "./input.ts";

const redirects = "One or several; urn:ietf:wg:oauth:2.0:oob shows the code on a page.";

export const appEndpoints: readonly Endpoint[] = [
  endpoint({
    method: "post",
    path: "/api/v1/apps",
    summary: "Register an app",
    access: "anybody",
    body: z.object({
      client_name: z.string(),
      redirect_uris: z.union([z.string(), z.array(z.string()).max(100)]).describe(redirects),
      scopes: text.describe("With spaces in between; read, if nothing is said."),
      website: text,
    }),
    answer: one("CredentialApplication"),
    before: (ctx) => [limitAct(ctx, "apps")],
    async handle({ ctx, res, body }) {
      const { app, secret } = await registerApp(ctx, {
        name: body.client_name,
        redirectUris: urisIn(body.redirect_uris),
        scopes: body.scopes ?? defaultScopes,
        website: body.website ?? "",
      });
      res.json({
        ...applicationEntity(app),
        client_id: app.client,
        client_secret: secret,
        client_secret_expires_at: 0,
      });
    },
  }),
  endpoint({
    method: "get",
    path: "/api/v1/apps/verify_credentials",
    summary: "The app that asks",
    access: "app",
    answer: one("Application"),
    async handle({ ctx, res }) {
      const app = await findApp(ctx, requireApp(res).app);
      if (app === undefined) throw new InvalidToken("app");
      res.json(applicationEntity(app));
    },
  }),
];

/** A list, or URIs separated by white space. */
function urisIn(uris: string | string[]): string[] {
  const listed = typeof uris === "string" ? uris.split(/\s+/) : uris;
  return listed.map((uri) => uri.trim()).filter((uri) => uri !== "");
}

/** The public part of an app. */
export function applicationEntity({ id, name, website, scopes, redirectUris }: App) {
  return {
    id,
    name,
    website: website === "" ? null : website,
    scopes: [...scopes],
    redirect_uri: redirectUris.join("\n"),
    redirect_uris: redirectUris,
    vapid_key: "",
  };
}
