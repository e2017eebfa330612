import type { Ctx } from "../context.ts";
import { makeResetLink } from "../domain/accounts/reset-links.ts";
import { toName } from "../domain/accounts/rescue.ts";
import { siteUrl } from "../domain/site-url.ts";
import { findUserByName } from "../domain/users/store.ts";

/** One URL: the host hands it to the user, who chooses the password. */
export async function resetPassword(ctx: Ctx, name = ""): Promise<string[]> {
  return [await linkFor(ctx, name, false)];
}

/** The same for a user who has lost passkeys and authenticator app too: the link removes them. */
export async function resetFactors(ctx: Ctx, name = ""): Promise<string[]> {
  return [await linkFor(ctx, name, true)];
}

async function linkFor(ctx: Ctx, name: string, removesFactors: boolean): Promise<string> {
  const user = await findUserByName(ctx, toName(name));
  if (user === undefined) throw new Error(`there is no user ${name}`);
  return siteUrl(ctx, await makeResetLink(ctx, user, { removesFactors }));
}
