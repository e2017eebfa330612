import type { Ctx } from "../context.ts";
import { makeInvitation } from "../domain/community/invitations.ts";
import { Invalid } from "../domain/errors.ts";
import { readSite } from "../domain/site/settings.ts";
import { siteUrl } from "../domain/site-url.ts";

/** One person, and a week to come. */
const wish = { uses: 1, days: 7, note: "" };

/** One URL, for one person. */
export async function invite(ctx: Ctx): Promise<string[]> {
  if ((await readSite(ctx)).signUp === "closed")
    throw new Error("sign-up is closed: no invitation lets people in (SIGNUP, or /admin/site)");
  const token = await makeInvitation(ctx, undefined, wish).catch((error: unknown) => {
    if (!(error instanceof Invalid)) throw error;
    throw new Error("there are too many open invitations: end some on /admin/invitations");
  });
  return [siteUrl(ctx, `/signup?invitation=${token}`)];
}
