import type { Ctx } from "../../context.ts";
import { Invalid } from "../errors.ts";
import type { UserId } from "../ids.ts";
import { promiseRemoval } from "../promises.ts";
import { eraseUser, forbidDeleting, isErased, markDeleted } from "../users/erase-user.ts";
import { foldName } from "../users/names.ts";
import { checkPassword } from "../users/passwords.ts";
import { closeAllSessions } from "../users/sessions.ts";
import { findLock, type User } from "../users/store.ts";
import { eraseSteps } from "./erase-steps.ts";

/**
 * Requests that were under way when an account was deleted, and jobs that they promised, are over
 * after so many milliseconds. What they wrote is erased by the last pass.
 */
const lateWritesDelay = 15_000;
/** Portions of steps that one job does before it promises the next. */
const portionsAtOnce = 20;

/**
 * Deletes an account. The promise comes first; from then on a crash at any point leaves work for the
 * job, nothing else. The person is gone at once, the rest within a minute unless they did very much
 * or have tens of thousands of followers. Their name stays taken for ever. Throws Invalid: beside
 * `name` or `password` unless these are theirs, and for an admin.
 */
export async function deleteAccount(
  ctx: Ctx,
  user: User,
  confirmation: { name: string; password: string },
): Promise<void> {
  forbidDeleting(ctx, user);
  const typed = confirmation.name.trim().replace(/^@/, "");
  if (foldName(typed) !== foldName(user.name)) throw new Invalid({ name: "confirmation.wrong" });
  const lock = await findLock(ctx, user.id);
  const asker = { lane: "known", from: user.id };
  if (!(await checkPassword(confirmation.password, lock?.hash, ctx.config.bcryptCost, asker)))
    throw new Invalid({ password: "password.wrong" });
  await promiseRemoval(ctx, () =>
    ctx.jobs.workOnAccount({ task: "erase", user: user.id, pass: "first" }),
  );
  await markDeleted(ctx, user.id);
  await closeAllSessions(ctx, user.id);
}

/**
 * The job promised by deleteAccount. What is to be erased is itself the note of how far this got:
 * each portion takes away what it names last of all, so it may end anywhere and run again. The last
 * pass ends with the person's hash.
 */
export async function eraseAccount(
  ctx: Ctx,
  { user, pass }: { user: UserId; pass: "first" | "last" },
): Promise<void> {
  if (await isErased(ctx, user)) return;
  await markDeleted(ctx, user);
  if (await eraseSome(ctx, user)) {
    await ctx.jobs.workOnAccount({ task: "erase", user, pass });
    return;
  }
  if (pass === "first")
    await ctx.jobs.workOnAccount({ task: "erase", user, pass: "last" }, lateWritesDelay);
  else await eraseUser(ctx, user);
}

/** Whether there may be more. */
async function eraseSome(ctx: Ctx, user: UserId): Promise<boolean> {
  let portions = 0;
  for (const step of eraseSteps)
    while (await step(ctx, user)) {
      portions += 1;
      if (portions >= portionsAtOnce) return true;
    }
  return false;
}
