import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import type { Reading } from "../../redis/memory.ts";
import { type Entry, toEntries } from "../page.ts";
import type { Viewer } from "../graph/relations.ts";
import { readFeed } from "./read-feed.ts";
import type { FeedItem } from "./types.ts";

/** A list that is nobody's: everybody's newest, or those with a hashtag, which is folded. */
export interface OpenList {
  tag: string | undefined;
}

/** What is further down the list is told to no stream. */
const newest = 200;

const listReading: Reading<string | undefined, readonly Entry[]> = {
  key: (tag) => (tag === undefined ? keys.globalTimeline : keys.tag(tag)),
  command: ["zrange", 0, newest - 1, "REV", "WITHSCORES"],
  parse: (reply) => toEntries(reply as string[]).toReversed(),
};

/** The newest of the list, the oldest of them first. */
export async function newestOf(ctx: Ctx, { tag }: OpenList): Promise<readonly Entry[]> {
  const [entries = []] = await ctx.memory.read(ctx.redis, listReading, [tag]);
  return entries;
}

/** Of what such a list holds, what the viewer is to see, in the same order. */
export async function seenAmong(ctx: Ctx, viewer: Viewer, entries: Entry[]): Promise<FeedItem[]> {
  const source = { read: async () => entries };
  return (await readFeed(ctx, { viewer, limit: entries.length }, source)).items;
}
