import type { Ctx } from "../../context.ts";
import { required, Suspended } from "../../domain/errors.ts";
import { parseUserId } from "../../domain/ids.ts";
import { findUser, findUserByName, type User } from "../../domain/users/store.ts";
import { texts } from "./input.ts";

/** Max ids in a request; further ones are ignored. */
const maxIds = 100;

/** `id[]` of a query. Words that are not ids are ignored. */
export const accountIds = texts.transform((raw) =>
  raw.slice(0, maxIds).flatMap((id) => parseUserId(id) ?? []),
);

/** The user with this id. Throws NotFound, Suspended. */
export async function getAccount(ctx: Ctx, raw: string): Promise<User> {
  const user = await getAnyAccount(ctx, raw);
  if (user.suspended) throw new Suspended("user");
  return user;
}

/** The user with this id, who may be suspended, for example to unfollow them. Throws NotFound. */
export async function getAnyAccount(ctx: Ctx, raw: string): Promise<User> {
  const id = parseUserId(raw);
  return required(id && (await findUser(ctx, id)), "user");
}

/**
 * The name in an account's address: "name", "@name", and either with "@host" of this site.
 * Undefined for anything else. `site` is the origin of the site.
 */
export function nameIn(acct: string, site: string): string | undefined {
  const [, name, host] = /^@?(\w+)(?:@([^\s@/]+))?$/.exec(acct.trim()) ?? [];
  const isHere = host === undefined || host.toLowerCase() === new URL(site).host;
  return isHere ? name : undefined;
}

/** The user with this address; undefined if there is none, or if they are suspended. */
export async function findByAcct(ctx: Ctx, acct: string, site: string): Promise<User | undefined> {
  const name = nameIn(acct, site);
  const user = name === undefined ? undefined : await findUserByName(ctx, name);
  return user?.suspended === true ? undefined : user;
}
