import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { endAllApps } from "../apps/tokens.ts";
import { Invalid } from "../errors.ts";
import { type Admission, nextGeneration } from "../users/generation.ts";
import { checkPassword, hashPassword, passwordProblem } from "../users/passwords.ts";
import { closeAllSessions } from "../users/sessions.ts";
import { findCredentials, type Credentials, type User } from "../users/store.ts";

/**
 * Sets a new password and ends all earlier access: every session, including the current one, every app, and
 * everything that is just being opened. Returns an admission for the new password. Throws Invalid: beside
 * `current_password` if that is wrong, else beside `new_password`. `current` may be undefined if the user has just
 * confirmed in another way.
 */
export async function changePassword(
  ctx: Ctx,
  user: User,
  input: { current: string | undefined; next: string },
): Promise<Admission> {
  const problem = passwordProblem(input.next, user.name);
  if (problem !== undefined) throw new Invalid({ new_password: problem });
  const credentials = await findCredentials(ctx, user.id);
  const asker = { lane: "known", from: user.id };
  const isRight =
    input.current === undefined ||
    (await checkPassword(input.current, credentials?.hash, ctx.config.bcryptCost, asker));
  if (credentials === undefined || !isRight)
    throw new Invalid({ current_password: "password.wrong" });
  const hash = await hashPassword(input.next, ctx.config.bcryptCost, user.id);
  const generation = await replaceCredentials(ctx, user, { from: credentials, to: hash });
  // Another change won, and its password is the current one.
  if (generation === undefined) throw new Invalid({ current_password: "password.wrong" });
  await closeAllSessions(ctx, user.id);
  await endAllApps(ctx, user.id);
  return { user: user.id, generation };
}

/**
 * One command is the whole change: if the process ends before it, nothing changed; after it, no old session or
 * token is valid. Undefined if the password was changed meanwhile.
 */
async function replaceCredentials(
  ctx: Ctx,
  { id }: User,
  { from, to }: { from: Credentials; to: string },
): Promise<string | undefined> {
  const key = keys.user(id);
  const ending = nextGeneration();
  const updated = await ctx.redis.updateIf(key, "pass", from.hash, "pass", to, ...ending);
  // If the client sent the command twice, the first one made this change.
  return updated === 1 || (await findCredentials(ctx, id))?.hash === to ? ending[1] : undefined;
}
