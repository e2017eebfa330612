import { LRUCache } from "lru-cache";
import type { Ctx } from "../../../context.ts";
import type { Counts } from "../../../domain/tweets/reactions.ts";
import { hashtagsIn } from "../../../domain/tweets/text.ts";
import type { Tweet } from "../../../domain/tweets/tweet.ts";
import { presentText } from "../../present/text.ts";
import { statusId } from "../ids.ts";
import { formatDate } from "./account.ts";
import { contentOf } from "./content.ts";

/** What the viewer did with a tweet; `pinned` is undefined for what is not theirs. */
export interface Marks {
  favourited: boolean;
  reblogged: boolean;
  bookmarked: boolean;
  pinned: boolean | undefined;
}

/** All that a status says by itself. */
export interface Said {
  site: string;
  /** The tweet or the retweet of it. */
  listed: Tweet;
  tweet: Tweet;
  counts: Counts;
  /** What it answers, if that is still there. */
  parent: Tweet | undefined;
  marks: Marks;
}

/** The JSON of a status up to its account, and from there on; a quote and a retweet are still to come. */
export interface Fragment {
  head: string;
  tail: string;
}

/** A fragment, and what it was made of but what never changes or is a part of the key. */
interface Kept extends Fragment {
  site: string;
  counts: Counts;
  parent: Tweet | undefined;
}

/** Characters of JSON that one process keeps. */
const kept = 24_000_000;

const memories = new WeakMap<Ctx, LRUCache<string, Kept>>();

/** Made once, and kept for as long as nothing in it changes. What viewers see differently is in the key. */
export function serializeStatus(ctx: Ctx, said: Said): Fragment {
  const { site, counts, parent } = said;
  const memory = memoryOf(ctx);
  const key = keyOf(said);
  const known = memory.get(key);
  if (known !== undefined && known.site === site && known.parent?.id === parent?.id)
    if (isSame(known.counts, counts)) return known;
  const fragment = { ...makeFragment(said), site, counts, parent };
  memory.set(key, fragment);
  return fragment;
}

function keyOf({ listed, marks }: Said): string {
  const { favourited, reblogged, bookmarked, pinned } = marks;
  const own = pinned === undefined ? "" : pinned ? "p" : "o";
  return `${listed.createdAt} ${listed.id} ${favourited ? "f" : ""}${reblogged ? "r" : ""}${bookmarked ? "b" : ""}${own}`;
}

function isSame(one: Counts, other: Counts): boolean {
  if (one === other) return true;
  const { likes, retweets, replies } = one;
  return likes === other.likes && retweets === other.retweets && replies === other.replies;
}

function makeFragment({ site, listed, tweet, counts, parent, marks }: Said): Fragment {
  const { favourited, reblogged, bookmarked, pinned } = marks;
  const url = `${site}/tweets/${listed.id}`;
  const first = {
    id: statusId(listed),
    created_at: formatDate(listed.createdAt),
    in_reply_to_id: parent === undefined ? null : statusId(parent),
    in_reply_to_account_id: parent === undefined ? null : parent.author,
    sensitive: false,
    spoiler_text: "",
    visibility: "public",
    language: null,
    uri: url,
    url,
    replies_count: counts.replies,
    reblogs_count: counts.retweets,
    favourites_count: counts.likes,
    edited_at: null,
    favourited,
    reblogged,
    muted: false,
    bookmarked,
    pinned,
    content: contentOf(presentText(tweet.text, tweet.mentions), site),
    filtered: [],
    application: null,
  };
  const rest = {
    media_attachments: [],
    mentions: (tweet.mentions ?? []).map(({ id, name }) => ({
      id,
      username: name,
      url: `${site}/@${name}`,
      acct: name,
    })),
    tags: hashtagsIn(tweet.text).map((name) => ({
      name,
      url: `${site}/tags/${encodeURIComponent(name)}`,
    })),
    emojis: [],
    card: null,
    poll: null,
  };
  return {
    head: `${JSON.stringify(first).slice(0, -1)},"account":`,
    tail: `,${JSON.stringify(rest).slice(1, -1)}`,
  };
}

function memoryOf(ctx: Ctx): LRUCache<string, Kept> {
  const known = memories.get(ctx);
  if (known !== undefined) return known;
  const memory = new LRUCache<string, Kept>({
    maxSize: kept,
    sizeCalculation: ({ head, tail }) => head.length + tail.length,
  });
  memories.set(ctx, memory);
  return memory;
}
