import type { Ctx } from "../../context.ts";
import { Forbidden, Unauthenticated } from "../errors.ts";
import { currentScope } from "../scope.ts";
import { readUser, type User } from "./store.ts";

/**
 * Notes that this request acts for `viewer`, by a session or token that `isOpen`. This right may end while the body
 * arrives or the request waits for its turn; requireRight checks it again.
 */
export function holdRight(ctx: Ctx, viewer: User, isOpen: () => Promise<boolean>): void {
  const deadline = currentScope.getStore()?.deadline;
  if (deadline?.writes !== true) return;
  deadline.requireRight = async () => {
    const [open, user] = await Promise.all([isOpen(), readUser(ctx, viewer.id)]);
    if (!open || user?.generation !== viewer.generation || user.suspended)
      throw new Unauthenticated("the right has ended");
    if (user.role !== viewer.role) throw new Forbidden("another role");
  };
}

/** Throws Unauthenticated or Forbidden if the viewer of this request may no longer act. Jobs have no viewer. */
export async function requireRight(): Promise<void> {
  await currentScope.getStore()?.deadline.requireRight?.();
}
