import type { Ctx } from "../context.ts";
import { acceptApplicant } from "../domain/community/applications.ts";
import { giveRole } from "../domain/moderation/staff.ts";
import { isAdmin } from "../domain/users/roles.ts";
import { findUser } from "../domain/users/store.ts";
import { ofOperator, requireUser } from "./operator.ts";

/** The way to the first admin, beside ADMINS. An applicant is let in: on a site that asks, no admin may exist. */
export async function makeAdmin(ctx: Ctx, name = ""): Promise<string[]> {
  const found = await requireUser(ctx, name);
  if (found.waiting) await acceptApplicant(ctx, ofOperator(), found.id);
  const user = (await findUser(ctx, found.id)) ?? found;
  if (user.suspended) throw new Error(`${user.name} is suspended: reinstate the account first`);
  const wasAdmin = isAdmin(ctx, user);
  await giveRole(ctx, ofOperator(), user, "admin");
  return [wasAdmin ? `@${user.name} is an admin already` : `@${user.name} is an admin now`];
}
