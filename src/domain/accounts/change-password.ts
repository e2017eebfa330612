import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { endAllApps } from "../apps/tokens.ts";
import { Invalid } from "../errors.ts";
import { checkPassword, hashPassword, passwordProblem } from "../users/passwords.ts";
import { closeOtherSessions } from "../users/sessions.ts";
import { findPasswordHash, type User } from "../users/store.ts";

/**
 * Sets a new password and ends all that the old one let in: every session but `session`, and every
 * app. Throws Invalid: beside `current_password` if that is not the present one, else beside
 * `new_password`.
 */
export async function changePassword(
  ctx: Ctx,
  user: User,
  input: { current: string; next: string; session: string },
): Promise<void> {
  const problem = passwordProblem(input.next, user.name);
  if (problem !== undefined) throw new Invalid({ new_password: problem });
  const { bcryptCost } = ctx.config;
  const hash = await findPasswordHash(ctx, user.id);
  if (!(await checkPassword(input.current, hash, bcryptCost)))
    throw new Invalid({ current_password: "password.wrong" });
  await ctx.redis.hset(keys.user(user.id), { pass: await hashPassword(input.next, bcryptCost) });
  await closeOtherSessions(ctx, user.id, input.session);
  await endAllApps(ctx, user.id);
}
