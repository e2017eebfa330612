import type { Request } from "express";
import type { Ctx } from "../../context.ts";
import { NotFound, Suspended } from "../../domain/errors.ts";
import { parseUserId } from "../../domain/ids.ts";
import { findUser, findUserByName, type User } from "../../domain/users/store.ts";

/** The user in the path. Throws NotFound, Suspended. */
export async function personOf(ctx: Ctx, req: Request): Promise<User> {
  return await personBy(ctx, String(req.params["id"]));
}

/** The same by the id of an account. Throws NotFound, Suspended. */
export async function personBy(ctx: Ctx, raw: string): Promise<User> {
  const user = await anyPersonBy(ctx, raw);
  if (user.suspended) throw new Suspended("user");
  return user;
}

/** The same for suspended users too, such as to unfollow them. Throws NotFound. */
export async function anyPersonOf(ctx: Ctx, req: Request): Promise<User> {
  return await anyPersonBy(ctx, String(req.params["id"]));
}

async function anyPersonBy(ctx: Ctx, raw: string): Promise<User> {
  const id = parseUserId(raw);
  const user = id && (await findUser(ctx, id));
  if (user === undefined) throw new NotFound("user");
  return user;
}

/**
 * The name in an account's address: "name", "@name", and either with "@host" of this site.
 * Undefined for anything else. `site` is where the site is, without a path.
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
