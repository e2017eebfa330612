import { randomUUID } from "node:crypto";
import type { Ctx } from "../context.ts";
import { toName } from "../domain/accounts/rescue.ts";
import type { Decision } from "../domain/moderation/moderate.ts";
import { findUserByName, type User } from "../domain/users/store.ts";

/** The account that the operator named. Throws a text for the operator. */
export async function requireUser(ctx: Ctx, name: string): Promise<User> {
  const user = await findUserByName(ctx, toName(name));
  if (user === undefined) throw new Error(`there is no user ${name}`);
  return user;
}

/** A decision of the operator, for the audit log. */
export function ofOperator(): Decision {
  return { by: undefined, act: randomUUID(), note: "" };
}
