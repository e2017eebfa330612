import type { Ctx } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { type Entry, toEntries } from "../page.ts";
import type { Stamp } from "../stamp.ts";
import type { Viewer } from "../users/relations.ts";
import { type Listed, readFeed } from "./read-feed.ts";

/** A list that is nobody's: everybody's newest, or those with a hashtag, which is folded. */
export interface OpenList {
  tag: string | undefined;
}

/** Of each list the newest that are newer than `after`, `limit` at most, the oldest first; one round trip. */
export async function listedAfter(
  ctx: Ctx,
  asked: (OpenList & { after: Stamp })[],
  limit: number,
): Promise<Entry[][]> {
  const replies = await exec(
    ctx.redis,
    asked.map(({ tag, after }) => [
      ...(["zrange", tag === undefined ? keys.globalTimeline : keys.tag(tag)] as const),
      ...(["+inf", `(${after}`, "BYSCORE", "REV", "LIMIT", 0, limit, "WITHSCORES"] as const),
    ]),
  );
  return replies.map((reply) => toEntries(reply as string[]).toReversed());
}

/** Of what such a list holds, what the viewer is to see, in the same order. */
export async function seenAmong(ctx: Ctx, viewer: Viewer, entries: Entry[]): Promise<Listed[]> {
  const source = { read: async () => entries };
  return (await readFeed(ctx, { viewer, limit: entries.length }, source)).items;
}
