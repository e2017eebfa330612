import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import type { Reading } from "../../redis/memory.ts";
import { type Entry, toEntries } from "../page.ts";
import type { Viewer } from "../graph/relations.ts";
import { readFeed } from "./read-feed.ts";
import type { FeedItem } from "./types.ts";

/** A list without an owner: the newest tweets of all users, or those with a hashtag (folded). */
export interface OpenList {
  tag: string | undefined;
}

/** Max length; streams do not get older entries. */
const newest = 200;

const listReading: Reading<string | undefined, readonly Entry[]> = {
  key: (tag) => (tag === undefined ? keys.globalTimeline : keys.tag(tag)),
  command: ["zrange", 0, newest - 1, "REV", "WITHSCORES"],
  parse: (reply) => toEntries(reply as string[]).toReversed(),
};

/** The newest entries of the list, oldest first. */
export async function newestOf(ctx: Ctx, { tag }: OpenList): Promise<readonly Entry[]> {
  const [entries = []] = await ctx.memory.read(ctx.redis, listReading, [tag]);
  return entries;
}

/** The feed items of these entries that the viewer may and wants to see, in the same order. */
export async function seenAmong(ctx: Ctx, viewer: Viewer, entries: Entry[]): Promise<FeedItem[]> {
  const source = { read: async () => entries };
  return (await readFeed(ctx, { viewer, limit: entries.length }, source)).items;
}
