import { follow } from "../actions/follow.ts";
import { DomainError, Invalid, Unavailable } from "../errors.ts";
import { followTag, isFollowing } from "../graph/follows.ts";
import { foldTag } from "../tweets/text.ts";
import { charge, isSpent } from "../users/payer.ts";
import { findUserByName } from "../users/store.ts";
import type { ImportRun, Outcome } from "./import-run.ts";

/**
 * A follow that is newer than the start of the import counts as imported: an earlier run may have made it. Follows
 * count for the same limit as those by hand.
 */
export async function importFollow(
  { ctx, payer: { user }, startedAt }: ImportRun,
  { name }: { name: string },
): Promise<Outcome> {
  const followee = await findUserByName(ctx, name);
  if (followee === undefined || followee.id === user) return "person";
  const edge = { follower: user, followee: followee.id };
  const since = await isFollowing(ctx, edge);
  if (since !== undefined && since < startedAt) return "known";
  if (since === undefined && (await isSpent(ctx, "follow", { user }))) return "follows";
  try {
    await follow(ctx, edge);
    if (since === undefined) await charge(ctx, "follow", { user }, 1);
    return "imported";
  } catch (error) {
    // For example, a user who blocks them.
    if (error instanceof DomainError && !(error instanceof Unavailable)) return "refused";
    throw error;
  }
}

export async function importTag(
  { ctx, payer }: ImportRun,
  { tag: raw }: { tag: string },
): Promise<Outcome> {
  const tag = foldTag(raw);
  if (tag === undefined) return "tags";
  try {
    await followTag(ctx, payer.user, tag);
    return "imported";
  } catch (error) {
    if (error instanceof Invalid) return "tags";
    throw error;
  }
}
