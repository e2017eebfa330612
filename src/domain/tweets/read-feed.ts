import type { Ctx } from "../../context.ts";
import type { TweetId, UserId } from "../ids.ts";
import { cut, type Entry, type Page, pageSize, type Range } from "../page.ts";
import type { Stamp } from "../stamp.ts";
import type { Viewer } from "../users/relations.ts";
import { entriesIn, maxRounds, readRound } from "./feed-round.ts";
import { readUpwards } from "./feed-upwards.ts";
import { withoutRepeats } from "./repeats.ts";
import type { Tweet } from "./tweet.ts";

/** An item of a list of tweets. */
export interface Listed {
  /** What is shown. */
  tweet: Tweet;
  /** The retweet that brought it here. */
  retweet: Tweet | undefined;
  /** The tweet that it quotes, if that is still there and the viewer may see it. */
  quote: Tweet | undefined;
  /** When it was listed: of the retweet, if there is one. */
  stamp: Stamp;
}

/** Where ids come from, and what is done about those that should not be there. */
export interface Source {
  /** At least `limit` entries, in the order of reading, unless there are no more. */
  read(range: Range): Promise<Entry[]>;
  /** Which of these belong here; all of them unless it is said. */
  allowed?(items: Listed[]): Promise<(item: Listed) => boolean>;
  /** Takes out ids that are gone for good or do not belong; a repair, so nothing depends on it. */
  heal?(ids: TweetId[]): Promise<void>;
  /** Leaves out a retweet that stands close to its original. */
  dropsRepeats?: boolean;
}

/** Which part of a list; bounds are exclusive. */
export interface Part {
  before?: Stamp | undefined;
  /** The newest that are newer than this. */
  after?: Stamp | undefined;
  /** Those just newer than this: however much is newer still, they come first. */
  from?: Stamp | undefined;
  /** How many items; a page of the site unless it is said. */
  limit?: number | undefined;
}

export interface View extends Part {
  viewer: Viewer | undefined;
  /** Whose tweets are shown even if the viewer muted them: on their own page. */
  evenMuted?: UserId;
  /** Which of what the viewer may see are asked for; all of them unless it is said. */
  only?: ((item: Listed) => boolean) | undefined;
}

/**
 * A page, newest first. Filters before it cuts, so that it is full unless the list ends. With `from`,
 * `newer` of the page goes on upwards where that is further up than its newest item.
 */
export async function readFeed(ctx: Ctx, view: View, source: Source): Promise<Page<Listed>> {
  return view.from === undefined
    ? await readDownwards(ctx, view, source)
    : await readUpwards(ctx, { ...view, from: view.from }, source);
}

async function readDownwards(ctx: Ctx, view: View, source: Source): Promise<Page<Listed>> {
  const { limit = pageSize, after = 0 } = view;
  const drops = source.dropsRepeats === true;
  const items: Listed[] = [];
  let cursor = view.before;
  for (let round = 0; round < maxRounds; round += 1) {
    // Whether something is a repeat is for what is older to tell, and be it older than `after`.
    const range = { before: cursor, after: drops ? undefined : view.after };
    const { items: more, last } = await readRound(ctx, view, source, {
      ...range,
      limit: entriesIn(round, limit),
    });
    items.push(...more);
    cursor = last?.stamp;
    const kept = drops ? withoutRepeats(items, last === undefined) : items;
    const isEnd = last === undefined || (kept.at(-1)?.stamp ?? Infinity) <= after;
    if (isEnd || isFull(kept, limit)) return toPage(kept, view, cursor);
  }
  return toPage(drops ? withoutRepeats(items, true) : items, view, cursor);
}

/** With something older after the page, where the next one begins: what was kept may end before `cursor`. */
function isFull(items: Listed[], limit: number): boolean {
  const [edge, last] = [items[limit - 1], items.at(-1)];
  return edge !== undefined && last !== undefined && last.stamp < edge.stamp;
}

function toPage(
  items: Listed[],
  { limit = pageSize, after = 0 }: View,
  cursor: Stamp | undefined,
): Page<Listed> {
  const newer = after === 0 ? items : items.filter(({ stamp }) => stamp > after);
  const page = cut(newer, limit, (item) => item.stamp);
  // What was read beyond `after` is still to be shown.
  const isBeyond = cursor !== undefined && cursor <= after;
  const rest = isBeyond ? page.items.at(-1)?.stamp : cursor;
  return { items: page.items, older: page.older ?? rest };
}
