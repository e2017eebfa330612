import type { Ctx } from "../../context.ts";
import { Invalid } from "../errors.ts";
import type { Asker } from "../concurrency-limit.ts";
import type { Admission } from "./generation.ts";
import { noteGuess } from "./guesses.ts";
import { checkPassword } from "./passwords.ts";
import { findLock, findUserByName, keepUser } from "./store.ts";

/**
 * Whose name and password these are. Throws Invalid, alike and after the same time whether the name
 * or the password is wrong; somebody who is suspended learns it by the right password only; TooMany while too many log
 * in at once: they take turns by `asker`.
 */
export async function logIn(
  ctx: Ctx,
  { name, password }: { name: string; password: string },
  asker?: Asker,
): Promise<Admission> {
  const user = await findUserByName(ctx, name.trim());
  const lock = user === undefined ? undefined : await findLock(ctx, user.id);
  const matches = await checkPassword(password, lock?.hash, ctx.config.bcryptCost, asker);
  if (user !== undefined && !matches) noteGuess(ctx, user.id);
  if (user === undefined || lock === undefined || !matches)
    throw new Invalid({ form: "credentials.wrong" });
  if (user.suspended) throw new Invalid({ form: "account.suspended" });
  // Should their sign-up have ended just before it was done, this makes up for it.
  await keepUser(ctx, user.id);
  return { user: user.id, generation: lock.generation };
}
