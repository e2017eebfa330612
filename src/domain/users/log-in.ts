import type { Ctx } from "../../context.ts";
import { Invalid } from "../errors.ts";
import type { Asker } from "../concurrency-limit.ts";
import type { Admission } from "./generation.ts";
import { noteGuess } from "./guesses.ts";
import { checkPassword } from "./passwords.ts";
import { findCredentials, findUserByName, keepUser } from "./store.ts";

/**
 * The user with this name and password. Throws Invalid, with the same error after the same time for a wrong
 * name and a wrong password. Only the right password tells that a user is suspended. Throws TooMany while too
 * many log in at once; `asker` decides whose turn it is.
 */
export async function logIn(
  ctx: Ctx,
  { name, password }: { name: string; password: string },
  asker?: Asker,
): Promise<Admission> {
  const user = await findUserByName(ctx, name.trim());
  const credentials = user === undefined ? undefined : await findCredentials(ctx, user.id);
  const matches = await checkPassword(password, credentials?.hash, ctx.config.bcryptCost, asker);
  if (user !== undefined && !matches) noteGuess(ctx, user.id);
  if (user === undefined || credentials === undefined || !matches)
    throw new Invalid({ form: "credentials.wrong" });
  if (user.waiting)
    throw new Invalid({ form: credentials.isRefused ? "account.refused" : "account.waiting" });
  if (user.suspended) throw new Invalid({ form: "account.suspended" });
  // Keeps the user if the sign-up ended just before it was done.
  await keepUser(ctx, user.id);
  return { user: user.id, generation: credentials.generation };
}
