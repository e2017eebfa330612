import { randomUUID } from "node:crypto";
import type { Ctx } from "../../context.ts";
import { Invalid } from "../errors.ts";
import type { UserId } from "../ids.ts";
import { findUser } from "./store.ts";

/** Somebody who has proved to be a user, and in which generation of theirs that was. */
export interface Admission {
  user: UserId;
  generation: string;
}

/**
 * Fields and values for a user's hash which end, once they are written, every session, token and code that
 * the user has: see User.generation.
 */
export function nextGeneration(): ["generation", string] {
  return ["generation", randomUUID()];
}

/** Throws Invalid, as for a wrong password, if what the user proved counts no more. */
export async function requireAdmission(
  ctx: Ctx,
  { user: id, generation }: Admission,
): Promise<void> {
  const user = await findUser(ctx, id);
  if (user?.generation !== generation) throw new Invalid({ form: "credentials.wrong" });
  if (user.suspended) throw new Invalid({ form: "account.suspended" });
}
