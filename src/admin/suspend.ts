import type { Ctx } from "../context.ts";
import { suspendReported } from "../domain/moderation/moderate.ts";
import { isModerator } from "../domain/users/roles.ts";
import { ofOperator, requireUser } from "./operator.ts";

/** As on /admin/suspended, where the account can be reinstated. */
export async function suspend(ctx: Ctx, name = ""): Promise<string[]> {
  const user = await requireUser(ctx, name);
  if (isModerator(ctx, user))
    throw new Error(`@${user.name} is a moderator or admin: take the role first, or change ADMINS`);
  if (user.waiting) throw new Error(`@${user.name} waits for an admin: see /admin/requests`);
  await suspendReported(ctx, ofOperator(), { kind: "person", person: user.id });
  return [user.suspended ? `@${user.name} was suspended before` : `@${user.name} is suspended`];
}
