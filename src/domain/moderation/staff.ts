import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { Invalid } from "../errors.ts";
import { userId } from "../ids.ts";
import { isNamedAdmin } from "../users/roles.ts";
import { findUserByName, findUsers, type Role, type User } from "../users/store.ts";
import { recordEntry } from "./audit.ts";
import type { Decision } from "./moderate.ts";
import { checkComment } from "./report.ts";

/** Verb of the audit log for each role. */
const roleVerbs = { "": "member", moderator: "moderator", admin: "admin" } as const;

/**
 * Gives a user a role, or takes it (""). It counts from the next request of the user. The field of the user is
 * the truth; the list of the staff, which is changed first, has at least all admins. Throws Invalid for an
 * admin of ADMINS, for the last admin, and for a suspended user. May run twice.
 */
export async function giveRole(
  ctx: Ctx,
  { by, nonce, note }: Decision,
  user: User,
  role: Role,
): Promise<void> {
  if (role !== "admin" && isNamedAdmin(ctx, user.name)) throw new Invalid({ form: "role.named" });
  if (role !== "" && user.suspended) throw new Invalid({ form: "role.suspended" });
  const others = (await hasNamedAdmin(ctx)) ? 0 : 1;
  if (user.role === "admin" && role !== "admin" && (await countAdmins(ctx, user)) < others)
    throw new Invalid({ form: "role.last" });
  if (user.role !== role) {
    const subject = { kind: "person", person: user.id } as const;
    const entry = { by, verb: roleVerbs[role], subject, note: checkComment(note, "note") };
    await recordEntry(ctx, nonce, entry);
  }
  const least = user.role === "admin" ? others : 0;
  if ((await ctx.redis.setRole(keys.staff, user.id, role, least)) === 0)
    throw new Invalid({ form: "role.last" });
  if (role === "") await ctx.redis.hdel(keys.user(user.id), "role");
  else await ctx.redis.setField(keys.user(user.id), "role", role);
}

/** All moderators and admins: those with a role and those that ADMINS names, in the order of their names. */
export async function listStaff(ctx: Ctx): Promise<User[]> {
  const named = await Promise.all(ctx.config.admins.map((name) => findUserByName(ctx, name)));
  const roles = await ctx.redis.hgetall(keys.staff);
  const listed = await findUsers(ctx, Object.keys(roles).map(userId));
  const all = new Map([...listed].filter(([, { role }]) => role !== ""));
  for (const user of named) if (user !== undefined) all.set(user.id, user);
  return [...all.values()].toSorted((one, other) => one.name.localeCompare(other.name, "en"));
}

/** Admins by their role, without `user`. */
async function countAdmins(ctx: Ctx, { id }: User): Promise<number> {
  const staff = Object.entries(await ctx.redis.hgetall(keys.staff));
  return staff.filter(([one, role]) => one !== id && role === "admin").length;
}

/** Whether an admin stays who can only lose the role by a change of ADMINS. */
async function hasNamedAdmin(ctx: Ctx): Promise<boolean> {
  const named = await Promise.all(ctx.config.admins.map((name) => findUserByName(ctx, name)));
  return named.some((user) => user?.suspended === false);
}
