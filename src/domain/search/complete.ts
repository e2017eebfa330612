import type { Ctx } from "../../context.ts";
import { followedAmong } from "../graph/follows.ts";
import type { Viewer } from "../graph/relations.ts";
import type { UserId } from "../ids.ts";
import { foldTag } from "../tweets/text.ts";
import { foldName, type User } from "../users/store.ts";
import { findPeople } from "./find-people.ts";
import { type Trend, usedTags } from "./trending.ts";

/** Max completions of a name or tag. */
const shown = 6;
/** People among whom those that the viewer follows come first. */
const looked = 20;

/**
 * People for the beginning of a name or of a part of a full name: the exact name first, then the viewer's
 * followings, then names that begin so. Without users hidden from the viewer.
 */
export async function completeName(
  ctx: Ctx,
  viewer: Viewer | undefined,
  typed: string,
): Promise<User[]> {
  const part = { offset: 0, limit: looked, following: false };
  const people = await findPeople(ctx, viewer, typed, part);
  const ids = people.map(({ id }) => id);
  const followed =
    viewer === undefined ? new Set<UserId>() : await followedAmong(ctx, viewer.id, ids);
  const start = foldName(typed);
  const rankOf = ({ id, name }: User) => {
    if (foldName(name) === start) return 0;
    if (followed.has(id)) return 1;
    return foldName(name).startsWith(start) ? 2 : 3;
  };
  return people.toSorted((one, other) => rankOf(one) - rankOf(other)).slice(0, shown);
}

/** Tags of the last 24 hours that begin with the typed text; those used by most users first. */
export async function completeTag(ctx: Ctx, typed: string): Promise<Trend[]> {
  const start = foldTag(typed);
  if (start === undefined) return [];
  const used = await usedTags(ctx);
  return used.filter(({ tag }) => tag.startsWith(start)).slice(0, shown);
}
