import type { Ctx } from "../../context.ts";
import { Forbidden, Unauthenticated } from "../errors.ts";
import { currentScope, type Holder, withoutRight } from "../scope.ts";
import { foldName, readUser, type User } from "./store.ts";

type Account = Pick<User, "name" | "role">;

/** Whether ADMINS contains the name: an admin whose role no page can take away. */
export function isNamedAdmin({ config }: Ctx, name: string): boolean {
  return config.admins.includes(foldName(name));
}

/** Admins change the site and its roles, and do what moderators do. */
export function isAdmin(ctx: Ctx, user: Account): boolean {
  return user.role === "admin" || isNamedAdmin(ctx, user.name);
}

/** Moderators decide on reports, users and tweets. Each admin is one. */
export function isModerator(ctx: Ctx, user: Account): boolean {
  return user.role === "moderator" || isAdmin(ctx, user);
}

/**
 * Notes that this request acts for `viewer`, or for an app itself, by the session or token of `holder` that `isOpen`. This
 * right may end while the body arrives or the request waits; requireRight checks it again. So do late writes: see
 * contextWithDeadlines.
 */
export function holdRight(
  ctx: Ctx,
  viewer: User | undefined,
  { holder, isOpen }: { holder: Holder; isOpen: () => Promise<boolean> },
): void {
  const deadline = currentScope.getStore()?.deadline;
  if (deadline?.writes !== true) return;
  deadline.right = viewer && { generation: viewer.generation, holder };
  const look = async () => {
    const [open, user] = await Promise.all([isOpen(), viewer && readUser(ctx, viewer.id)]);
    if (!open || user?.generation !== viewer?.generation || user?.suspended === true)
      throw new Unauthenticated("the right has ended");
    if (user?.role !== viewer?.role) throw new Forbidden("another role");
    deadline.rightSeen = performance.now();
  };
  deadline.requireRight = () => withoutRight(look);
  deadline.rightSeen = performance.now();
}

/** For a request that ends the right of its own viewer: what it does later is allowed. */
export function endOwnRight(): void {
  const deadline = currentScope.getStore()?.deadline;
  if (deadline === undefined) return;
  deadline.requireRight = undefined;
  deadline.rightSeen = undefined;
}

/** Throws Unauthenticated or Forbidden if the viewer of this request may no longer act. Jobs have no viewer. */
export async function requireRight(): Promise<void> {
  await currentScope.getStore()?.deadline.requireRight?.();
}

/**
 * For a write that must not outlast the right of the viewer: call requireRight just before it, and this afterwards. If
 * the right ended in between, takes the write back and throws Unauthenticated or Forbidden. If the process ends in
 * between, the write stays.
 */
export async function requireRightOr(takeBack: () => Promise<unknown>): Promise<void> {
  try {
    await requireRight();
  } catch (error) {
    await withoutRight(takeBack);
    throw error;
  }
}
