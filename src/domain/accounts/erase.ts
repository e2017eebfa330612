import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { Invalid } from "../errors.ts";
import { type UserId, stampAt } from "../ids.ts";
import { promiseRemoval } from "../promises.ts";
import { closeAllSessions } from "../users/sessions.ts";
import { endOwnRight, isAdmin } from "../users/roles.ts";
import { foldName, type User, toName } from "../users/store.ts";
import { requirePassword } from "./change-password.ts";
import { eraseSteps } from "./erase-steps.ts";

/**
 * Milliseconds until requests that were running when the account was deleted, and their jobs, have ended. The
 * last pass erases what they wrote.
 */
const lateWritesDelay = 15_000;
/** Batches per job before it promises the next one. */
const batchesAtOnce = 20;

/**
 * Deletes an account. What the job asks for is noted first, then it is promised: after a crash at any later point it
 * does the rest. Readers treat the user as deleted at once. The rest is erased within a minute unless they were very
 * active or have tens of thousands of followers. Their name stays taken for ever. Throws Invalid: beside `name` or
 * `password` if these are wrong, and for an admin.
 */
export async function deleteAccount(
  ctx: Ctx,
  user: User,
  confirmation: { name: string; password: string | undefined },
): Promise<void> {
  // A deleted admin would leave a name in ADMINS that still counts.
  if (isAdmin(ctx, user)) throw new Invalid({ form: "account.admin" });
  const typed = toName(confirmation.name);
  if (foldName(typed) !== foldName(user.name)) throw new Invalid({ name: "confirmation.wrong" });
  await requirePassword(ctx, user, confirmation.password, "password");
  await ctx.redis.setField(keys.user(user.id), "leaving_at", stampAt(ctx.now(), user.id));
  endOwnRight();
  await promiseRemoval(ctx, () =>
    ctx.jobs.workOnAccount({ task: "erase", user: user.id, pass: "first" }),
  );
  await markDeleted(ctx, user.id);
  await closeAllSessions(ctx, user.id);
}

/**
 * The job promised by deleteAccount. The remaining data is the record of progress: each batch removes its
 * own entries last, so it may be interrupted and run again. The last pass deletes the user's hash at its end. Throws if
 * the user did not ask for it, or is an admin.
 */
export async function eraseAccount(
  ctx: Ctx,
  { user, pass }: { user: UserId; pass: "first" | "last" },
  alive = () => {},
): Promise<void> {
  const fields = ["name", "role", "leaving_at", "deleted_at"];
  const [name, role, ...asked] = await ctx.redis.hmget(keys.user(user), ...fields);
  if (typeof name !== "string") return;
  if (asked.every((stamp) => stamp === null))
    throw new Error(`@${name} did not delete the account`);
  if (isAdmin(ctx, { name, role: role === "admin" ? role : "" }))
    throw new Error(`@${name} is an admin: take the role away first`);
  await markDeleted(ctx, user);
  if (await eraseSome(ctx, user, alive))
    return await ctx.jobs.workOnAccount({ task: "erase", user, pass });
  if (pass === "first")
    return await ctx.jobs.workOnAccount({ task: "erase", user, pass: "last" }, lateWritesDelay);
  // The claim of the name stays and leads to no user, so that mentions of @name, and links to it, never lead to another.
  await ctx.redis.zrem(keys.newestUsers, user);
  await ctx.redis.del(keys.user(user));
}

/** For the doctor: erases what was written after the last pass, of a user without an account. May run twice. */
export async function eraseRest(ctx: Ctx, user: UserId): Promise<void> {
  while (await eraseSome(ctx, user));
}

/** Returns whether there may be more. */
async function eraseSome(ctx: Ctx, user: UserId, alive = () => {}): Promise<boolean> {
  let batches = 0;
  for (const step of eraseSteps)
    while (await step(ctx, user, alive)) {
      alive();
      batches += 1;
      if (batches >= batchesAtOnce) return true;
    }
  return false;
}

/** Hides the user from all readers at once. May run twice. */
async function markDeleted(ctx: Ctx, user: UserId): Promise<void> {
  await ctx.redis.setField(keys.user(user), "deleted_at", stampAt(ctx.now(), user));
}
