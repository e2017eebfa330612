import type { Ctx } from "../../context.ts";
import type { UserId } from "../ids.ts";
import { type Relation, relationsTo, type Viewer } from "./relations.ts";
import { findUsers, type User } from "../users/store.ts";

/**
 * Whom of these the viewer, or somebody who is signed out, may not see, wherever it is: who is gone or
 * suspended, and with whom there is a block. Who is muted is left out of lists only, which is for those
 * to say. Costs no command while all of them are remembered; afterwards `findUsers` and `relationsTo`
 * need not ask about them once more.
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

/** The same of one user, who may be gone, by how the viewer stands to them. */
export function isHiddenFrom(
  viewer: Viewer | undefined,
  user: User | undefined,
  relationTo: (id: UserId) => Relation,
): boolean {
  if (user === undefined || user.suspended) return true;
  return user.id !== viewer?.id && relationTo(user.id).blocked;
}

/** Those of some people whom the viewer may see. */
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
