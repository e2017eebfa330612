import type { Ctx } from "../../context.ts";
import type { Admission } from "../users/generation.ts";
import type { Issued } from "./redeem.ts";
import { type App, keepApp } from "./store.ts";
import { keepToken, newToken } from "./tokens.ts";

/**
 * A token for somebody who has just signed up through an app, for all that it asks for: to choose a
 * password there was to let it in.
 */
export async function grantToNewcomer(
  ctx: Ctx,
  app: App,
  { user, generation }: Admission,
): Promise<Issued> {
  const { client, scopes } = app;
  const { token, place } = newToken({ app: client, user });
  await keepApp(ctx, client);
  const createdAt = await keepToken(ctx, place, { app: client, scopes, generation });
  return { token, scopes, createdAt };
}
