import type { Ctx } from "../../context.ts";
import type { UserId } from "../ids.ts";
import type { Issued } from "./redeem.ts";
import { type App, keepApp } from "./store.ts";
import { keepToken, newToken } from "./tokens.ts";

/**
 * A token for somebody who has just signed up through an app, for all that it asks for: to choose a
 * password there was to let it in.
 */
export async function grantToNewcomer(ctx: Ctx, app: App, user: UserId): Promise<Issued> {
  const { client, scopes } = app;
  const { token, place } = newToken({ app: client, user });
  await keepApp(ctx, client);
  const createdAt = await keepToken(ctx, place, { app: client, scopes });
  return { token, scopes, createdAt };
}
