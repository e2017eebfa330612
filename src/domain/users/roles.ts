import type { Ctx } from "../../context.ts";
import { foldName, type User } from "./store.ts";

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
