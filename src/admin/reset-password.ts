import type { Ctx } from "../context.ts";
import { makeResetLink } from "../domain/accounts/reset-links.ts";
import { siteUrl } from "../domain/site-url.ts";
import { requireUser } from "./operator.ts";

/** One URL: the host hands it to the user, who chooses the password. */
export async function resetPassword(ctx: Ctx, name = ""): Promise<string[]> {
  return [siteUrl(ctx, await makeResetLink(ctx, await requireUser(ctx, name)))];
}
