import type { Ctx } from "../../context.ts";
import { Invalid } from "../errors.ts";
import type { UserId } from "../ids.ts";
import { checkPassword } from "./passwords.ts";
import { findPasswordHash, findUserByName } from "./store.ts";

/**
 * Whose name and password these are. Throws Invalid, alike and after the same time whether the name
 * or the password is wrong; somebody who is suspended learns it by the right password only; TooMany while too many log in at once.
 */
export async function logIn(
  ctx: Ctx,
  { name, password }: { name: string; password: string },
): Promise<UserId> {
  const user = await findUserByName(ctx, name.trim());
  const hash = user === undefined ? undefined : await findPasswordHash(ctx, user.id);
  const matches = await checkPassword(password, hash, ctx.config.bcryptCost);
  if (user === undefined || !matches) throw new Invalid({ form: "credentials.wrong" });
  if (user.suspended) throw new Invalid({ form: "account.suspended" });
  return user.id;
}
