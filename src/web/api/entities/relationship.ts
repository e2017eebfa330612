import { z } from "zod";
import type { Ctx } from "../../../context.ts";
import { NotFound } from "../../../domain/errors.ts";
import {
  followedAmong,
  followersAmong,
  watchedAmong,
  withoutRetweetsAmong,
} from "../../../domain/graph/follows.ts";
import { relationsTo } from "../../../domain/graph/relations.ts";
import type { UserId } from "../../../domain/ids.ts";
import type { Stamp } from "../../../domain/stamp.ts";
import { findUsers, type User } from "../../../domain/users/store.ts";
import { constants, formatDate, id, moment } from "./parts.ts";

const always = {
  languages: null,
  requested: false,
  requested_by: false,
  domain_blocking: false,
  endorsed: false,
  note: "",
} as const;

export const Relationship = z
  .strictObject({
    id,
    following: z.boolean(),
    showing_reblogs: z.boolean(),
    notifying: z.boolean(),
    followed_by: z.boolean(),
    blocking: z.boolean(),
    blocked_by: z.boolean(),
    muting: z.boolean(),
    muting_notifications: z.boolean(),
    muting_expires_at: moment.nullable(),
    ...constants(always),
  })
  .meta({ id: "Relationship" });

/** The viewer's relationship to each of those who exist, in their order; read at once. */
export async function presentRelationships(
  ctx: Ctx,
  viewer: User,
  others: UserId[],
): Promise<z.output<typeof Relationship>[]> {
  const users = await findUsers(ctx, others);
  const ids = [...users.keys()];
  const [followed, without, watched, followers, relationTo] = await Promise.all([
    followedAmong(ctx, viewer.id, ids),
    withoutRetweetsAmong(ctx, viewer.id, ids),
    watchedAmong(ctx, viewer.id, ids),
    followersAmong(ctx, viewer.id, ids),
    relationsTo(ctx, viewer, ids),
  ]);
  return ids.map((other) => {
    const { muted, mutedUntil, blocking, blockedBy } = relationTo(other);
    return {
      id: other,
      following: followed.has(other),
      showing_reblogs: followed.has(other) && !without.has(other),
      notifying: watched.has(other),
      followed_by: followers.has(other),
      blocking,
      blocked_by: blockedBy,
      muting: muted,
      muting_notifications: muted,
      muting_expires_at: formatEnd(mutedUntil),
      ...always,
    };
  });
}

/** Null for a mute without an end. */
export function formatEnd(until: Stamp | undefined): string | null {
  return until === undefined || until === Infinity ? null : formatDate(until);
}

/** After a change: the viewer's relationship to one user now. Throws NotFound if the user is gone. */
export async function presentRelationship(
  ctx: Ctx,
  viewer: User,
  other: UserId,
): Promise<z.output<typeof Relationship>> {
  const [relationship] = await presentRelationships(ctx, viewer, [other]);
  if (relationship === undefined) throw new NotFound("user");
  return relationship;
}
