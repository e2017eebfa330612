import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { Invalid } from "../errors.ts";
import { type UserId, userId } from "../ids.ts";
import { type Page, pageSize } from "../page.ts";
import { searchAllPeople } from "../search/find-people.ts";
import { endOwnRight, isNamedAdmin, requireRightOr } from "../users/roles.ts";
import { findUserByName, findUsers, type Role, type User, toName } from "../users/store.ts";
import { type Decision, recordEntry, personSubject } from "./audit.ts";
import { reconcile } from "../promises.ts";
import { checkComment } from "./report.ts";

/** Ids that are read in one round trip. */
const idsAtOnce = 100;
/** Max rounds for one page: where many accounts in a row are gone, the page stays short. */
const maxRounds = 10;

/**
 * All accounts, suspended and waiting ones too, the newest first, by their ids: there is no list of all. The
 * cursor is an id.
 */
export async function accountsPage(ctx: Ctx, before: number | undefined): Promise<Page<User>> {
  const last = Number((await ctx.redis.get(keys.userIds)) ?? 0);
  let next = Math.min(before ?? Infinity, last + 1);
  const items: User[] = [];
  for (let round = 0; round < maxRounds && next > 1 && items.length < pageSize; round += 1) {
    const count = Math.min(idsAtOnce, next - 1);
    const ids = Array.from({ length: count }, (_, nth) => userId(next - 1 - nth));
    const users = await findUsers(ctx, ids);
    for (const id of ids) {
      if (items.length === pageSize) break;
      next = Number(id);
      const user = users.get(id);
      if (user !== undefined) items.push(user);
    }
  }
  return { items, older: next > 1 ? next : undefined };
}

/**
 * Accounts with this name, or whose name or full name begins with it: the exact name first. Suspended and
 * waiting ones are included. `next` continues; undefined at the end.
 */
export async function findAccounts(ctx: Ctx, typed: string, after: string | undefined) {
  const name = toName(typed);
  const [named, found] = await Promise.all([
    findUserByName(ctx, name),
    searchAllPeople(ctx, name, after),
  ]);
  const others = found.people.filter(({ id }) => id !== named?.id);
  const first = named === undefined || after !== undefined ? [] : [named];
  return { people: [...first, ...others], next: found.next };
}

/** Verb of the audit log for each role. */
const roleVerbs = { "": "member", moderator: "moderator", admin: "admin" } as const;

/**
 * Gives a user a role, or takes it (""). It counts from the next request of the user. The field of the user is
 * the truth; the list of the staff, which is changed first, has at least all admins. Throws Invalid for an
 * admin of ADMINS, for the last admin, and for a suspended user. May run twice. An admin who loses the role meanwhile
 * gives none.
 */
export async function giveRole(ctx: Ctx, decision: Decision, user: User, role: Role) {
  if (role !== "admin" && isNamedAdmin(ctx, user.name)) throw new Invalid({ form: "role.named" });
  if (role !== "" && user.suspended) throw new Invalid({ form: "role.suspended" });
  const others = (await namedAdmins(ctx)).some(({ suspended }) => !suspended) ? 0 : 1;
  if (user.role === "admin" && role !== "admin" && (await countAdmins(ctx, user)) < others)
    throw new Invalid({ form: "role.last" });
  if (user.role !== role) {
    const note = checkComment(decision.note, "note");
    const subject = personSubject(user.id);
    await recordEntry(ctx, { ...decision, note, verb: roleVerbs[role], subject });
  }
  const least = user.role === "admin" ? others : 0;
  if (decision.by === user.id) endOwnRight();
  await writeRole(ctx, user.id, role, least);
  await requireRightOr(() => writeRole(ctx, user.id, user.role, 0));
}

async function writeRole(ctx: Ctx, user: UserId, role: Role, least: number): Promise<void> {
  if ((await ctx.redis.setRole(keys.staff, user, role, least)) === 0)
    throw new Invalid({ form: "role.last" });
  // Another admin may change the list meanwhile: the account follows it.
  await reconcile(
    async () => (await ctx.redis.hget(keys.staff, user)) ?? "",
    async (listed) => {
      if (listed === "") await ctx.redis.hdel(keys.user(user), "role");
      else await ctx.redis.setField(keys.user(user), "role", listed);
    },
  );
}

/** All moderators and admins: those with a role and those that ADMINS names, in the order of their names. */
export async function listStaff(ctx: Ctx): Promise<User[]> {
  const named = await namedAdmins(ctx);
  const roles = await ctx.redis.hgetall(keys.staff);
  const listed = await findUsers(ctx, Object.keys(roles).map(userId));
  const all = new Map([...listed].filter(([, { role }]) => role !== ""));
  for (const user of named) all.set(user.id, user);
  return [...all.values()].toSorted((one, other) => one.name.localeCompare(other.name, "en"));
}

/** Admins by their role, without `user`. */
async function countAdmins(ctx: Ctx, { id }: User): Promise<number> {
  const staff = Object.entries(await ctx.redis.hgetall(keys.staff));
  return staff.filter(([one, role]) => one !== id && role === "admin").length;
}

/** The accounts that ADMINS names, if they exist. Only a change of ADMINS takes their role. */
async function namedAdmins(ctx: Ctx): Promise<User[]> {
  const named = await Promise.all(ctx.config.admins.map((name) => findUserByName(ctx, name)));
  return named.filter((user) => user !== undefined);
}
