import { randomUUID } from "node:crypto";
import type { Ctx } from "../../context.ts";
import { Invalid } from "../errors.ts";
import type { UserId } from "../ids.ts";
import { findUser } from "./store.ts";

/** A user who has proved their identity, and their generation at that time. */
export interface Admission {
  user: UserId;
  generation: string;
}

/**
 * Fields and values for a user's hash. Writing them ends every session, token and code of the user: see
 * User.generation.
 */
export function nextGeneration(): ["generation", string] {
  return ["generation", randomUUID()];
}

/** Throws Invalid, as for a wrong password, if the admission is no longer valid. */
export async function requireAdmission(
  ctx: Ctx,
  { user: id, generation }: Admission,
): Promise<void> {
  const user = await findUser(ctx, id);
  if (user?.generation !== generation) throw new Invalid({ form: "credentials.wrong" });
  if (user.suspended) throw new Invalid({ form: "account.suspended" });
}
