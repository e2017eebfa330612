import { Router } from "express";
import { z } from "zod";
import type { Ctx } from "../../context.ts";
import { registerApp } from "../../domain/apps/register.ts";
import { defaultScopes } from "../../domain/apps/scopes.ts";
import { type App, findApp } from "../../domain/apps/store.ts";
import { InvalidToken } from "../../domain/errors.ts";
import { limitAct } from "../middleware/limits.ts";
import { requireApp } from "./bearer.ts";
import { readInput, text } from "./input.ts";

const registration = z.object({
  client_name: z.string(),
  redirect_uris: z.union([z.string(), z.array(z.string()).max(100)]),
  scopes: text,
  website: text,
});

export function appsApi(ctx: Ctx): Router {
  const router = Router();

  router.post("/api/v1/apps", limitAct(ctx, "apps"), async (req, res) => {
    const input = readInput(registration, req.body);
    const { app, secret } = await registerApp(ctx, {
      name: input.client_name,
      redirectUris: urisIn(input.redirect_uris),
      scopes: input.scopes ?? defaultScopes,
      website: input.website ?? "",
    });
    res.json({
      ...applicationEntity(app),
      client_id: app.client,
      client_secret: secret,
      client_secret_expires_at: 0,
    });
  });

  router.get("/api/v1/apps/verify_credentials", async (_req, res) => {
    const app = await findApp(ctx, requireApp(res).app);
    if (app === undefined) throw new InvalidToken("app");
    res.json(applicationEntity(app));
  });

  return router;
}

/** One after the other, with white space between, or as a list. */
function urisIn(uris: string | string[]): string[] {
  const listed = typeof uris === "string" ? uris.split(/\s+/) : uris;
  return listed.map((uri) => uri.trim()).filter((uri) => uri !== "");
}

/** What anybody may know of an app. */
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
