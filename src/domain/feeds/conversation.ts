import type { Ctx } from "../../context.ts";
import { execEach } from "../../redis/exec.ts";
import { inBatches } from "../concurrency-limit.ts";
import type { Viewer } from "../graph/relations.ts";
import { type TweetId, tweetId, type Stamp } from "../ids.ts";
import { type Entry, toEntries } from "../page.ts";
import { repliesOf } from "../tweets/reactions.ts";
import { itemOfEach, readVisibleItems } from "./feed-items.ts";
import { repliesTo } from "./thread.ts";
import type { FeedItem, FeedView } from "./types.ts";

/** Max replies on a page of a conversation. */
export const repliesShown = 20;
/** Max answers shown below a reply. */
const answersShown = 8;
/** Answers below a reply that are read: some may be hidden from the viewer. */
const answersRead = 2 * answersShown;
/** Max replies of a whole conversation in each of their two lists, and max depth; each step down is a round trip. */
const most = { replies: 500, steps: 50 };

/** A reply with the first answers below it. */
interface Chain {
  reply: FeedItem;
  /** Each followed by its own answers, oldest first. */
  answers: FeedItem[];
  /** The shown tweet whose page has the next answers; undefined if all are here. */
  more: TweetId | undefined;
}

export type Conversation = Awaited<ReturnType<typeof conversationBelow>>;

/**
 * The replies to a tweet after the stamp `from`, and what answers them, oldest first. `next`: cursor of the next part;
 * undefined at the end.
 */
export async function conversationBelow(
  ctx: Ctx,
  id: TweetId,
  { viewer, from = 0, kept }: FeedView,
) {
  const view = { viewer, from, limit: repliesShown + 1, kept };
  const { items, newer } = await repliesTo(ctx, id, view);
  const replies = items.toReversed().slice(0, repliesShown);
  const isCut = items.length > replies.length;
  const chains = await readChains(ctx, replies, { viewer, kept });
  return { chains, next: isCut ? replies.at(-1)?.stamp : newer };
}

/** Each reply with the first answers that the viewer sees. */
async function readChains(ctx: Ctx, replies: FeedItem[], { viewer, kept }: FeedView) {
  const ids = replies.map(({ tweet }) => tweet.id);
  const below = await readAnswers(ctx, ids);
  const ordered = ids.map((reply) => inOrder(reply, below));
  const entries = ordered.flatMap((all) => all.slice(0, answersRead)).map(({ entry }) => entry);
  const make = async (missing: Entry[]) =>
    itemOfEach(missing, await readVisibleItems(ctx, viewer, missing, { context: "thread" }));
  const items = await (kept?.items(ctx, entries, make) ?? make(entries));
  const itemOf = new Map(entries.map((entry, nth) => [entry.id, items[nth]]));
  return replies.map((reply, index): Chain => {
    const all = ordered[index] ?? [];
    const seen = all.flatMap(({ entry }) => itemOf.get(entry.id) ?? []);
    const answers = seen.slice(0, answersShown);
    const next = seen[answersShown]?.tweet.id ?? all[answersRead]?.entry.id;
    const more = shownAbove(next, all, [reply, ...answers]);
    return { reply, answers, more };
  });
}

/** The nearest of the shown tweets above a tweet: a link tells of none in between that are hidden. */
function shownAbove(id: string | undefined, answers: PlacedAnswer[], shown: FeedItem[]) {
  const parentOf = new Map(answers.map(({ entry, parent }) => [entry.id, parent]));
  const ids = new Set(shown.map(({ tweet }) => tweet.id));
  let above = parentOf.get(id ?? "");
  while (above !== undefined && !ids.has(above)) above = parentOf.get(above);
  return above;
}

/**
 * Number of tweets by others after the stamp `after`, among the newest replies and the first answers below each: what
 * the last page of the conversation would show.
 */
export async function countNewReplies(ctx: Ctx, viewer: Viewer, id: TweetId, after: Stamp) {
  const { items } = await repliesTo(ctx, id, { viewer });
  const chains = await readChains(ctx, items.slice(0, repliesShown), { viewer });
  const isNew = ({ tweet, stamp }: FeedItem) => stamp > after && tweet.author !== viewer.id;
  return [...items, ...chains.flatMap(({ answers }) => answers)].filter(isNew).length;
}

/**
 * The replies to a tweet and the replies to these, each followed by its own, oldest first. Replies that are
 * hidden from the viewer are left out, but the answers to them are not. Below a deleted reply the conversation
 * ends, as its list ends.
 */
export async function descendantsOf(ctx: Ctx, viewer: Viewer | undefined, id: TweetId) {
  const entries = inOrder(id, await readReplies(ctx, id)).map(({ entry }) => entry);
  return await readVisibleItems(ctx, viewer, entries, { context: "thread" });
}

/** An entry of a list of replies, and the tweet that it answers. */
interface PlacedAnswer {
  parent: TweetId;
  entry: Entry;
}

/** Answers to each tweet, oldest first. */
type Answers = ReadonlyMap<TweetId, Entry[]>;

/** The replies to a tweet and to these, up to `most`: hidden ones take no place of those for everyone. */
async function readReplies(ctx: Ctx, id: TweetId): Promise<Answers> {
  const replies = new Map<TweetId, Entry[]>();
  let level = [id];
  const left = repliesOf(id).map(() => most.replies);
  for (let step = 0; step < most.steps && level.length > 0 && Math.max(...left) > 0; step += 1) {
    const answers = await readLists(ctx, level, Math.max(...left) - 1);
    for (const [index, one] of level.entries()) {
      const lists = (answers[index] ?? []).map((entries, nth) => entries.slice(0, left[nth]));
      for (const [nth, { length }] of lists.entries()) left[nth] = (left[nth] ?? 0) - length;
      replies.set(one, oldestFirst(lists));
    }
    level = idsBelow(level, replies);
  }
  return replies;
}

/** For each root as many levels as its chain can show, and one more answer than are read. A round trip for each level. */
async function readAnswers(ctx: Ctx, roots: TweetId[]): Promise<Answers> {
  const answers = new Map<TweetId, Entry[]>();
  let level = roots.map((root) => [root]);
  for (let step = 0; step <= answersShown; step += 1) {
    const ids = level.flat();
    if (ids.length === 0) break;
    const lists = await readLists(ctx, ids, answersRead);
    for (const [index, one] of ids.entries())
      answers.set(one, oldestFirst(lists[index] ?? []).slice(0, answersRead + 1));
    level = level.map((chain) => idsBelow(chain, answers).slice(0, answersShown + 1));
  }
  return answers;
}

/** Both lists of answers to each tweet, each up to the position `last`; one round trip. */
async function readLists(ctx: Ctx, ids: TweetId[], last: number): Promise<Entry[][][]> {
  const lists = ids.flatMap(repliesOf);
  const range = [0, last, "WITHSCORES"] as const;
  const replies = await execEach(ctx.redis, lists, (list) => ["zrange", list, ...range]);
  return [...inBatches((replies as string[][]).map(toEntries), 2)];
}

function oldestFirst(lists: Entry[][]): Entry[] {
  return lists.flat().toSorted((one, other) => one.stamp - other.stamp);
}

function idsBelow(ids: TweetId[], answers: Answers): TweetId[] {
  return ids.flatMap((id) => (answers.get(id) ?? []).map((entry) => tweetId(entry.id)));
}

function inOrder(parent: TweetId, answers: Answers): PlacedAnswer[] {
  return (answers.get(parent) ?? []).flatMap((entry) => [
    { parent, entry },
    ...inOrder(tweetId(entry.id), answers),
  ]);
}
