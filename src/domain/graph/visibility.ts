import type { Ctx } from "../../context.ts";
import type { UserId } from "../ids.ts";
import { type Relation, relationsTo, type Viewer } from "./relations.ts";
import { findUsers, type User } from "../users/store.ts";

/**
 * Tells which users the viewer (undefined: signed out) must not see anywhere: users who are gone or suspended,
 * and those with a block in either direction. Muted users are not hidden here: only lists leave them out.
 * Sends no command if all are cached; afterwards `findUsers` and `relationsTo` have them cached.
 */
export async function hiddenFrom(
  ctx: Ctx,
  viewer: Viewer | undefined,
  ids: Iterable<UserId>,
): Promise<(id: UserId) => boolean> {
  const asked = new Set(ids);
  const [users, relationTo] = await Promise.all([
    findUsers(ctx, asked),
    relationsTo(ctx, viewer, asked),
  ]);
  return (id) => isHiddenFrom(viewer, users.get(id), relationTo);
}

/** The same for one user, who may be gone, with a known relation to the viewer. */
export function isHiddenFrom(
  viewer: Viewer | undefined,
  user: User | undefined,
  relationTo: (id: UserId) => Relation,
): boolean {
  if (user === undefined || user.suspended) return true;
  return user.id !== viewer?.id && relationTo(user.id).blocked;
}

/** Those of `people` who are not hidden from the viewer. */
export async function seenAmong(
  ctx: Ctx,
  viewer: Viewer | undefined,
  people: User[],
): Promise<User[]> {
  const isHidden = await hiddenFrom(
    ctx,
    viewer,
    people.map(({ id }) => id),
  );
  return people.filter(({ id }) => !isHidden(id));
}
