import type { Ctx } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { type TweetId, tweetId } from "../ids.ts";
import { type Entry, toEntries } from "../page.ts";
import type { Viewer } from "../graph/relations.ts";
import { hydrate } from "./hydrate.ts";
import type { FeedItem } from "./types.ts";
import { visibleItems } from "./tweet-visibility.ts";

/** Max replies of a conversation, and max depth; each step down is a round trip. */
const most = { replies: 500, steps: 50 };

/**
 * The replies to a tweet and the replies to these, each followed by its own, oldest first. Replies that are
 * hidden from the viewer are left out, but the answers to them are not. Below a deleted reply the conversation
 * ends, as its list ends.
 */
export async function descendantsOf(
  ctx: Ctx,
  viewer: Viewer | undefined,
  id: TweetId,
): Promise<FeedItem[]> {
  const entries = inThread(id, await readReplies(ctx, id));
  const { items } = await hydrate(ctx, entries);
  return await visibleItems(ctx, viewer, items);
}

type Replies = Map<TweetId, Entry[]>;

async function readReplies(ctx: Ctx, id: TweetId): Promise<Replies> {
  const replies: Replies = new Map();
  let level = [id];
  let read = 0;
  for (let step = 0; step < most.steps && level.length > 0; step += 1) {
    const last = most.replies - read - 1;
    if (last < 0) break;
    const answers = (await exec(
      ctx.redis,
      level.map((one) => ["zrange", keys.tweetReplies(one), 0, last, "WITHSCORES"]),
    )) as string[][];
    const next: TweetId[] = [];
    for (const [index, one] of level.entries()) {
      const found = toEntries(answers[index] ?? []).slice(0, Math.max(0, most.replies - read));
      read += found.length;
      replies.set(one, found);
      next.push(...found.map((entry) => tweetId(entry.id)));
    }
    level = next;
  }
  return replies;
}

function inThread(id: TweetId, replies: Replies): Entry[] {
  return (replies.get(id) ?? []).flatMap((entry) => [
    entry,
    ...inThread(tweetId(entry.id), replies),
  ]);
}
