import type { Ctx } from "../../context.ts";
import { Invalid } from "../errors.ts";
import type { UserId } from "../ids.ts";
import { readSite } from "../site/settings.ts";
import { type SignUp, signUp } from "../users/sign-up.ts";
import { checkReason } from "./applications.ts";
import { findInvitation, giveBackUse, type Invitation, noteGuest, takeUse } from "./invitations.ts";

interface Join extends SignUp {
  /** Token of an invitation, or empty. */
  invitation: string;
  /** What an applicant says about themselves, or empty. */
  reason: string;
  /** Whether the rules of the site, if there are any, were accepted. */
  agreed: boolean;
}

interface Joined {
  user: UserId;
  /** True if an admin has to accept the user first. */
  isWaiting: boolean;
  /** User who made the invitation. */
  invitedBy?: UserId | undefined;
}

/**
 * Signs a person up as the site allows it: openly, by an invitation, or as an applicant. An invitation also lets
 * people in without approval. Throws Invalid, Conflict, TooMany.
 */
export async function join(ctx: Ctx, input: Join, from = ""): Promise<Joined> {
  const site = await readSite(ctx);
  if (site.signUp === "closed") throw new Invalid({ form: "signup.closed" });
  if (site.rules !== "" && !input.agreed) throw new Invalid({ agreed: "rules.unaccepted" });
  const invitation =
    input.invitation === "" ? undefined : await findInvitation(ctx, input.invitation);
  if (invitation !== undefined) return await joinAsGuest(ctx, invitation, input, from);
  if (site.signUp === "invite")
    throw new Invalid({ form: `invitation.${input.invitation === "" ? "needed" : "invalid"}` });
  const reason = site.signUp === "approve" ? checkReason(input.reason) : undefined;
  const user = await signUp(ctx, input, { from, reason });
  return { user, isWaiting: reason !== undefined };
}

async function joinAsGuest(ctx: Ctx, invitation: Invitation, input: Join, from: string) {
  if (!(await takeUse(ctx, invitation))) throw new Invalid({ form: "invitation.invalid" });
  let user: UserId;
  try {
    user = await signUp(ctx, input, { from });
  } catch (error) {
    await giveBackUse(ctx, invitation);
    throw error;
  }
  await noteGuest(ctx, invitation, user);
  return { user, isWaiting: false, invitedBy: invitation.by };
}
