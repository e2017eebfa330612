import type { Ctx } from "../../context.ts";
import { foldName } from "./names.ts";
import type { User } from "./store.ts";

/** Whether ADMINS contains the user's name. */
export function isAdmin({ config }: Ctx, { name }: Pick<User, "name">): boolean {
  return config.admins.includes(foldName(name));
}
