import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { endAllApps } from "../apps/tokens.ts";
import { Invalid } from "../errors.ts";
import { type Admission, nextGeneration } from "../users/generation.ts";
import { checkPassword, hashPassword, passwordProblem } from "../users/passwords.ts";
import { closeAllSessions } from "../users/sessions.ts";
import { findLock, type Lock, type User } from "../users/store.ts";

/**
 * Sets a new password and ends all that was let in before: every session, that of the asker too, every
 * app, and what is being let in at this moment. Returns what the new password lets one into. Throws
 * Invalid: beside `current_password` if that is not the present one, else beside `new_password`.
 */
export async function changePassword(
  ctx: Ctx,
  user: User,
  input: { current: string; next: string },
): Promise<Admission> {
  const problem = passwordProblem(input.next, user.name);
  if (problem !== undefined) throw new Invalid({ new_password: problem });
  const lock = await findLock(ctx, user.id);
  const asker = { lane: "known", from: user.id };
  const isRight = await checkPassword(input.current, lock?.hash, ctx.config.bcryptCost, asker);
  if (lock === undefined || !isRight) throw new Invalid({ current_password: "password.wrong" });
  const hash = await hashPassword(input.next, ctx.config.bcryptCost, user.id);
  const generation = await turnLock(ctx, user, { from: lock, to: hash });
  // A change of another moment won, and its password is the present one.
  if (generation === undefined) throw new Invalid({ current_password: "password.wrong" });
  await closeAllSessions(ctx, user.id);
  await endAllApps(ctx, user.id);
  return { user: user.id, generation };
}

/**
 * One command is the whole change: a process that ends before it changed nothing, and after it whatever is
 * left lets nobody in. Undefined if the lock was changed meanwhile.
 */
async function turnLock(
  ctx: Ctx,
  { id }: User,
  { from, to }: { from: Lock; to: string },
): Promise<string | undefined> {
  const key = keys.user(id);
  const ending = nextGeneration();
  const turned = await ctx.redis.updateIf(key, "pass", from.hash, "pass", to, ...ending);
  // The client may have sent the command twice: then it was us who changed it.
  return turned === 1 || (await findLock(ctx, id))?.hash === to ? ending[1] : undefined;
}
