import type { Ctx } from "../../../context.ts";
import { NotFound } from "../../../domain/errors.ts";
import { followedAmong, followersAmong } from "../../../domain/graph/follows.ts";
import type { UserId } from "../../../domain/ids.ts";
import { type Relation, relationsTo } from "../../../domain/graph/relations.ts";
import { findUsers, type User } from "../../../domain/users/store.ts";

/** Mastodon's Relationship, of which Suzume knows no requests and no notes. */
export interface Relationship {
  id: string;
  following: boolean;
  showing_reblogs: boolean;
  notifying: false;
  languages: null;
  followed_by: boolean;
  blocking: boolean;
  blocked_by: boolean;
  muting: boolean;
  muting_notifications: boolean;
  muting_expires_at: null;
  requested: false;
  requested_by: false;
  domain_blocking: false;
  endorsed: false;
  note: "";
}

/** How the viewer stands to each of those who exist, in their order; asked for at once. */
export async function presentRelationships(
  ctx: Ctx,
  viewer: User,
  others: UserId[],
): Promise<Relationship[]> {
  const users = await findUsers(ctx, others);
  const ids = [...users.keys()];
  const [followed, following, relationTo] = await Promise.all([
    followedAmong(ctx, viewer.id, ids),
    followersAmong(ctx, viewer.id, ids),
    relationsTo(ctx, viewer, ids),
  ]);
  return ids.map((id) =>
    relationshipEntity(id, relationTo(id), {
      followed: followed.has(id),
      followsYou: following.has(id),
    }),
  );
}

/** After something was done: as the viewer stands to somebody now. Throws NotFound if they are gone. */
export async function presentRelationship(
  ctx: Ctx,
  viewer: User,
  other: UserId,
): Promise<Relationship> {
  const [relationship] = await presentRelationships(ctx, viewer, [other]);
  if (relationship === undefined) throw new NotFound("user");
  return relationship;
}

function relationshipEntity(
  id: UserId,
  { muted, blocking, blockedBy }: Relation,
  { followed, followsYou }: { followed: boolean; followsYou: boolean },
): Relationship {
  return {
    id,
    following: followed,
    showing_reblogs: followed,
    notifying: false,
    languages: null,
    followed_by: followsYou,
    blocking,
    blocked_by: blockedBy,
    muting: muted,
    muting_notifications: muted,
    muting_expires_at: null,
    requested: false,
    requested_by: false,
    domain_blocking: false,
    endorsed: false,
    note: "",
  };
}
