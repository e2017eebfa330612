import type { Ctx } from "../../context.ts";
import type { Admission } from "../users/generation.ts";
import type { Issued } from "./redeem.ts";
import { type App, keepApp } from "./store.ts";
import { keepToken, newToken } from "./tokens.ts";

/**
 * A token for a user who has just signed up in an app, with all scopes of the app. Signing up in the app
 * counts as consent.
 */
export async function grantToNewcomer(
  ctx: Ctx,
  app: App,
  { user, generation }: Admission,
): Promise<Issued> {
  const { client, scopes } = app;
  const { token, location } = newToken({ app: client, user });
  await keepApp(ctx, client);
  const createdAt = await keepToken(ctx, location, { app: client, scopes, generation });
  return { token, scopes, createdAt };
}
