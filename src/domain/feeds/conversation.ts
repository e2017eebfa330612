import type { Ctx } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import type { Viewer } from "../graph/relations.ts";
import { type TweetId, tweetId } from "../ids.ts";
import { type Entry, toEntries } from "../page.ts";
import type { Stamp } from "../stamp.ts";
import { readVisibleItems } from "./feed-items.ts";
import { repliesTo } from "./thread.ts";
import type { FeedItem } from "./types.ts";

/** Max replies on a page of a conversation. */
export const repliesShown = 20;
/** Max answers shown below a reply. */
const answersShown = 8;

/** A reply with the first answers below it. */
interface Chain {
  reply: FeedItem;
  /** Each followed by its own answers, oldest first. */
  answers: FeedItem[];
  /** The tweet whose page shows the next answers; undefined if all are here. */
  more: TweetId | undefined;
}

/** A part of a conversation, oldest first. */
export interface Conversation {
  chains: Chain[];
  /** Cursor of the next part; undefined at the end. */
  next: Stamp | undefined;
}

/** The replies to a tweet after the stamp `after`, and what answers them. */
export async function conversationBelow(
  ctx: Ctx,
  id: TweetId,
  { viewer, after = 0 }: { viewer: Viewer | undefined; after?: Stamp | undefined },
): Promise<Conversation> {
  const view = { viewer, from: after, limit: repliesShown + 1 };
  const { items, newer } = await repliesTo(ctx, id, view);
  const replies = items.toReversed().slice(0, repliesShown);
  const isCut = items.length > replies.length;
  const below = await readAnswers(
    ctx,
    replies.map(({ tweet }) => tweet.id),
  );
  const ordered = replies.map(({ tweet }) => inOrder(tweet.id, below));
  const first = ordered.map((answers) => answers.slice(0, answersShown));
  const visible = await readVisibleItems(
    ctx,
    viewer,
    first.flat().map(({ entry }) => entry),
    { context: "thread" },
  );
  const shown = new Map(visible.map((item) => [item.tweet.id, item]));
  const chains = replies.map((reply, index) => ({
    reply,
    answers: (first[index] ?? []).flatMap(({ entry }) => shown.get(tweetId(entry.id)) ?? []),
    more: ordered[index]?.[answersShown]?.parent,
  }));
  return { chains, next: isCut ? replies.at(-1)?.stamp : newer };
}

/**
 * Number of tweets by others after the stamp `after`, among the newest replies and the first answers below each: what
 * the last page of the conversation would show.
 */
export async function countNewReplies(
  ctx: Ctx,
  viewer: Viewer,
  id: TweetId,
  after: Stamp,
): Promise<number> {
  const { items } = await repliesTo(ctx, id, { viewer });
  const replies = items.slice(0, repliesShown).map(({ tweet }) => tweet.id);
  const below = await readAnswers(ctx, replies);
  const entries = replies
    .flatMap((reply) => inOrder(reply, below).slice(0, answersShown))
    .map(({ entry }) => entry)
    .filter(({ stamp }) => stamp > after);
  const answers = await readVisibleItems(ctx, viewer, entries, { context: "thread" });
  const isNew = ({ tweet, stamp }: FeedItem) => stamp > after && tweet.author !== viewer.id;
  return [...items, ...answers].filter(isNew).length;
}

type Answers = ReadonlyMap<TweetId, Entry[]>;

/** For each root as many levels and answers as its chain can show, and one more. A round trip for each level. */
async function readAnswers(ctx: Ctx, roots: TweetId[]): Promise<Answers> {
  const answers = new Map<TweetId, Entry[]>();
  let level = roots.map((root) => [root]);
  for (let step = 0; step <= answersShown; step += 1) {
    const entries = level.flat();
    if (entries.length === 0) break;
    const replies = (await exec(
      ctx.redis,
      entries.map((one) => ["zrange", keys.tweetReplies(one), 0, answersShown, "WITHSCORES"]),
    )) as string[][];
    for (const [index, one] of entries.entries()) answers.set(one, toEntries(replies[index] ?? []));
    level = level.map((ids) => idsBelow(ids, answers).slice(0, answersShown + 1));
  }
  return answers;
}

function idsBelow(ids: TweetId[], answers: Answers): TweetId[] {
  return ids.flatMap((id) => (answers.get(id) ?? []).map((entry) => tweetId(entry.id)));
}

interface Placed {
  parent: TweetId;
  entry: Entry;
}

function inOrder(parent: TweetId, answers: Answers): Placed[] {
  return (answers.get(parent) ?? []).flatMap((entry) => [
    { parent, entry },
    ...inOrder(tweetId(entry.id), answers),
  ]);
}
