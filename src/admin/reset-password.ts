import type { Ctx } from "../context.ts";
import { makeResetLink } from "../domain/accounts/reset-links.ts";
import { recordAct } from "../domain/moderation/audit.ts";
import { siteUrl } from "../domain/site-url.ts";
import { ofOperator, requireUser } from "./operator.ts";

/** One URL: the host hands it to the user, who chooses the password. */
export async function resetPassword(ctx: Ctx, name = ""): Promise<string[]> {
  return [await linkFor(ctx, name, false)];
}

/** The same for a user who has lost passkeys and authenticator app too: the link removes them. */
export async function resetFactors(ctx: Ctx, name = ""): Promise<string[]> {
  return [await linkFor(ctx, name, true)];
}

async function linkFor(ctx: Ctx, name: string, removesFactors: boolean): Promise<string> {
  const user = await requireUser(ctx, name);
  const subject = { kind: "person", person: user.id } as const;
  const { act, ...operator } = ofOperator();
  const verb = removesFactors ? "resetFactors" : "reset";
  await recordAct(ctx, `${act}:reset`, { ...operator, verb, subject });
  return siteUrl(ctx, await makeResetLink(ctx, user, { removesFactors }));
}
