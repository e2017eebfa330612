import type { Ctx } from "../../context.ts";
import { allFollowings } from "../graph/follows.ts";
import { findList, membersOfList } from "../graph/lists.ts";
import type { Viewer } from "../graph/relations.ts";
import type { ListId, UserId } from "../ids.ts";
import type { ListRange, Page } from "../page.ts";
import type { Stamp } from "../stamp.ts";
import { mergeUserTimelines } from "../timelines/merge.ts";
import { countNewFrom, wantedRetweets } from "./feeds.ts";
import { readFeed } from "./read-feed.ts";
import type { FeedItem, FeedSource } from "./types.ts";

/** The newest tweets of the members of a list, for its owner; empty for a list that is gone. */
export async function listFeed(
  ctx: Ctx,
  owner: Viewer,
  list: ListId,
  part: ListRange = {},
): Promise<Page<FeedItem>> {
  const view = { viewer: owner, context: "home", ...part } as const;
  return await readFeed(ctx, view, await listSource(ctx, owner.id, list));
}

/** Number of items by others after the stamp `after`, on the first page. */
export async function countNewInList(
  ctx: Ctx,
  owner: Viewer,
  list: ListId,
  after: Stamp,
): Promise<number> {
  return await countNewFrom(ctx, owner, await listSource(ctx, owner.id, list), after);
}

/** Nothing is stored for it: each page is merged from the members' own timelines. */
async function listSource(ctx: Ctx, owner: UserId, id: ListId): Promise<FeedSource> {
  const list = await findList(ctx, owner, id);
  const members = list === undefined ? [] : await membersOfList(ctx, owner, id);
  const answered = new Set([owner]);
  if (list?.replies === "list") for (const member of members) answered.add(member);
  if (list?.replies === "followed")
    for (const followee of await allFollowings(ctx, owner)) answered.add(followee);
  return {
    read: (range) => mergeUserTimelines(ctx, members, range, (_, to) => answered.has(to)),
    wanted: (items) => wantedRetweets(ctx, owner, items),
    dropsRepeats: true,
  };
}
