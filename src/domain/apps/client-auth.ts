import type { Ctx } from "../../context.ts";
import { GrantRefused } from "../errors.ts";
import { parseClientId } from "../ids.ts";
import { digestOf, isSameSecret } from "./secrets.ts";
import { type App, findApp } from "./store.ts";
import { dropToken, locateToken, readGrant } from "./tokens.ts";

/** The app with this id and secret. Throws the same GrantRefused for an unknown app and a wrong secret. */
export async function proveApp(
  ctx: Ctx,
  { client, secret }: { client: string; secret: string },
): Promise<App> {
  const id = parseClientId(client);
  const app = id && (await findApp(ctx, id));
  if (app === undefined || !isSameSecret(digestOf(secret), app.secret))
    throw new GrantRefused("invalid_client");
  return app;
}

/** Ends a token of this app. Does nothing if the token is not known. Throws GrantRefused for another app's token. */
export async function revokeToken(ctx: Ctx, app: App, token: string): Promise<void> {
  const location = locateToken(token);
  const kept = location && (await readGrant(ctx, location));
  if (location === undefined || kept === undefined) return;
  if (kept.grant.app !== app.client) throw new GrantRefused("unauthorized_client");
  await dropToken(ctx, location);
}
