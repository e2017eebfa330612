import type { Ctx } from "../../context.ts";
import { Invalid } from "../errors.ts";
import type { UserId } from "../ids.ts";
import { promiseRemoval } from "../promises.ts";
import { eraseUser, forbidDeleting, isErased, markDeleted } from "../users/erase-user.ts";
import { foldName } from "../users/names.ts";
import { closeAllSessions } from "../users/sessions.ts";
import type { User } from "../users/store.ts";
import { requirePassword } from "./change-password.ts";
import { eraseSteps } from "./erase-steps.ts";

/**
 * Milliseconds until requests that were running when the account was deleted, and their jobs, have ended. The
 * last pass erases what they wrote.
 */
const lateWritesDelay = 15_000;
/** Portions per job before it promises the next one. */
const portionsAtOnce = 20;

/**
 * Deletes an account. The promise comes first; after a crash at any later point, the job does the rest.
 * Readers treat the user as deleted at once. The rest is erased within a minute unless they were very active
 * or have tens of thousands of followers. Their name stays taken for ever. Throws Invalid: beside `name` or
 * `password` if these are wrong, and for an admin. `password` may be undefined if the user has just confirmed in
 * another way.
 */
export async function deleteAccount(
  ctx: Ctx,
  user: User,
  confirmation: { name: string; password: string | undefined },
): Promise<void> {
  forbidDeleting(ctx, user);
  const typed = confirmation.name.trim().replace(/^@/, "");
  if (foldName(typed) !== foldName(user.name)) throw new Invalid({ name: "confirmation.wrong" });
  await requirePassword(ctx, user, confirmation.password, "password");
  await promiseRemoval(ctx, () =>
    ctx.jobs.workOnAccount({ task: "erase", user: user.id, pass: "first" }),
  );
  await markDeleted(ctx, user.id);
  await closeAllSessions(ctx, user.id);
}

/**
 * The job promised by deleteAccount. The remaining data is the record of progress: each portion removes its
 * own entries last, so it may be interrupted and run again. The last pass deletes the user's hash at its end.
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

/** Returns whether there may be more. */
async function eraseSome(ctx: Ctx, user: UserId): Promise<boolean> {
  let portions = 0;
  for (const step of eraseSteps)
    while (await step(ctx, user)) {
      portions += 1;
      if (portions >= portionsAtOnce) return true;
    }
  return false;
}
