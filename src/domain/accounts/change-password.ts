import type { Ctx } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { endAllApps } from "../apps/tokens.ts";
import { Invalid } from "../errors.ts";
import { promiseRemoval } from "../promises.ts";
import {
  type VerifiedLogIn,
  checkOwnPassword,
  nextGeneration,
  findCredentials,
  type Credentials,
} from "../users/log-in.ts";
import { hashPassword, passwordProblem } from "../users/passwords.ts";
import { endOwnRight } from "../users/roles.ts";
import { closeAllSessions } from "../users/sessions.ts";
import type { User } from "../users/store.ts";
import { promiseNotice } from "./mail.ts";

/**
 * Sets a new password and ends all earlier access: every session, including the current one, every app, every
 * link to set a password, and everything that is just being opened. Returns the log-in with the new password.
 * Throws Invalid: beside `current_password` if that is wrong, else beside `new_password`.
 */
export async function changePassword(
  ctx: Ctx,
  user: User,
  input: { current: string | undefined; next: string },
): Promise<VerifiedLogIn> {
  const problem = passwordProblem(input.next, user.name);
  if (problem !== undefined) throw new Invalid({ new_password: problem });
  const from = await requirePassword(ctx, user, input.current, "current_password");
  const hash = await hashPassword(input.next, ctx.config.bcryptCost, user.id);
  const generation = await commitPassword(ctx, { ...from, user: user.id }, hash);
  // Another change won, and its password is the current one.
  if (generation === undefined) throw new Invalid({ current_password: "password.wrong" });
  await endEarlierAccess(ctx, user);
  return { user: user.id, generation };
}

/** For signed-in users who must type their password again. Throws Invalid beside `field` if it is wrong. */
export async function requirePassword(
  ctx: Ctx,
  user: User,
  typed: string | undefined,
  field: string,
): Promise<Credentials> {
  const credentials = await checkOwnPassword(ctx, user, typed);
  if (credentials === undefined) throw new Invalid({ [field]: "password.wrong" });
  return credentials;
}

/**
 * The first half of a change, of a user whose right to it was checked in `generation`; endEarlierAccess is the other.
 * One command is the whole change: if the process ends before it, nothing changed; after it, no old session or token is
 * valid. Returns the new generation, which may be given; undefined if the user was suspended or got another password, or
 * `mail` is given and is not the user's address.
 */
export async function commitPassword(
  ctx: Ctx,
  { user, generation }: VerifiedLogIn,
  hash: string,
  { next, mail }: { next?: string; mail?: string | undefined } = {},
): Promise<string | undefined> {
  const ending = nextGeneration(next);
  const expected = ["generation", generation, ...(mail === undefined ? [] : ["mail", mail])];
  const pairs = [...expected, "pass", hash, ...ending];
  const updated = await ctx.redis.updateUser(keys.user(user), expected.length / 2, ...pairs);
  // If the client sent the command twice, the first one made this change.
  if (updated === 0 && (await findCredentials(ctx, user))?.hash !== hash) return undefined;
  endOwnRight();
  return ending[1];
}

/** Deletes what a new generation has ended, links last. May run twice. */
export async function endEarlierAccess(ctx: Ctx, user: Pick<User, "id">): Promise<void> {
  await closeAllSessions(ctx, user.id);
  await endAllApps(ctx, user.id);
  const notice = { kind: "password", user: user.id, at: ctx.now() } as const;
  await promiseRemoval(ctx, async () => promiseNotice(ctx, notice));
  await exec(ctx.redis, [
    ["del", keys.resetLinks(user.id)],
    ["del", keys.mailPending(user.id)],
  ]);
}
