import { memo } from "../../../domain/memo.ts";
import { LRUCache } from "lru-cache";
import { z } from "zod";
import type { Ctx } from "../../../context.ts";
import type { Counts } from "../../../domain/tweets/reactions.ts";
import { effectiveAudience, isOpen } from "../../../domain/tweets/audience.ts";
import { hashtagsIn } from "../../../domain/tweets/text.ts";
import type { UserId } from "../../../domain/ids.ts";
import type { Tweet } from "../../../domain/tweets/tweet.ts";
import type { MentionedUser, User } from "../../../domain/users/store.ts";
import { statusId } from "../ids.ts";
import {
  Visibility,
  visibilityOf,
  address,
  constants,
  count,
  formatDate,
  html,
  id,
  moment,
  typed,
} from "./fields.ts";
import { contentOf, type Json, toJson } from "./parts.ts";
import { MediaAttachment, mediaOf } from "./media.ts";

const always = {
  application: null,
  emojis: [],
  card: null,
  // Quotes are links: they are not counted.
  quotes_count: 0,
} as const;

/** Anyone may quote what everyone may see. */
const openToQuotes = { automatic: ["public"], manual: [], current_user: "automatic" };
const closedToQuotes = { automatic: [], manual: [], current_user: "denied" };

/** The fields of a status that do not contain an account or another status. */
export const statusFields = {
  id,
  created_at: moment,
  visibility: Visibility,
  edited_at: moment.nullable(),
  in_reply_to_id: id.nullable(),
  in_reply_to_account_id: id.nullable(),
  uri: address,
  url: address,
  replies_count: count,
  reblogs_count: count,
  favourites_count: count,
  favourited: z.boolean(),
  reblogged: z.boolean(),
  bookmarked: z.boolean(),
  muted: z.boolean().describe("Whether the viewer has muted its conversation."),
  pinned: z.boolean().optional().describe("On the viewer's own only."),
  content: html,
  spoiler_text: typed.describe("Content warning: apps fold the content under it."),
  language: z.string().nullable().describe("What its app has given; null without."),
  mentions: z.array(z.strictObject({ id, username: z.string(), url: address, acct: z.string() })),
  tags: z.array(z.strictObject({ name: z.string(), url: address })),
  sensitive: z.boolean(),
  media_attachments: z.array(MediaAttachment),
  quote_approval: z.strictObject({
    automatic: z.array(z.string()),
    manual: z.array(z.string()),
    current_user: z.string(),
  }),
  ...constants(always),
};

type Fields = z.output<z.ZodObject<typeof statusFields>>;

/** What these fields are made of. */
interface StatusFacts {
  site: string;
  viewer: User | undefined;
  /** The tweet or the retweet of it. */
  listed: Tweet;
  tweet: Tweet;
  /** Of `tweet`. */
  author: User;
  /** Users by id: at least those whom the tweet mentions and who still exist. */
  people: ReadonlyMap<UserId, User>;
  counts: Counts;
  /** The tweet that it answers, if the viewer may see that. */
  parent: Tweet | undefined;
  /** What the viewer did with it; `pinned` is undefined for tweets of others. */
  marks: Pick<Fields, "favourited" | "reblogged" | "bookmarked" | "muted" | "pinned">;
}

/** The JSON, and the facts that may change and are not a part of the key. */
interface Kept extends Pick<StatusFacts, "site" | "counts" | "parent"> {
  json: Json;
}

/** Max characters of JSON that one process keeps. */
const cacheBytes = 24_000_000;

const memoryOf = memo(
  (_ctx: Ctx) =>
    new LRUCache<string, Kept>({ maxSize: cacheBytes, sizeCalculation: ({ json }) => json.length }),
);

/** Made once, and kept for as long as nothing in it changes. The key has what differs between viewers. */
export function serializeStatus(ctx: Ctx, facts: StatusFacts): Json {
  const { site, counts, parent } = facts;
  const memory = memoryOf(ctx);
  const key = keyOf(facts);
  const cached = memory.get(key);
  if (cached !== undefined && cached.site === site && cached.parent?.id === parent?.id)
    if (isSame(cached.counts, counts)) return cached.json;
  const json = toJson(fieldsOf(ctx, facts));
  memory.set(key, { json, site, counts, parent });
  return json;
}

/** Name of a mentioned user, as that user spells it; folded, as the tweet has it, if the user is gone. */
function nameOf({ people }: StatusFacts, mention: MentionedUser): string {
  return people.get(mention.id)?.name ?? mention.name;
}

function keyOf(facts: StatusFacts): string {
  const { listed, tweet, author, viewer, marks } = facts;
  const { favourited, reblogged, bookmarked, muted, pinned } = marks;
  // An import may add pictures to a tweet that has none, which is no edit.
  const pictures = tweet.pictures?.length ?? 0;
  const mark = pinned === undefined ? "" : pinned ? "p" : "o";
  const audience = effectiveAudience(tweet, author);
  const reader = isOpen(tweet, author) ? "" : `${viewer?.id}:${viewer?.generation}`;
  const names = (tweet.mentions ?? []).map((mention) => nameOf(facts, mention)).join(",");
  return `${audience} ${reader} ${names} ${listed.createdAt} ${listed.id} ${tweet.editedAt ?? ""} ${pictures}${favourited ? "f" : ""}${reblogged ? "r" : ""}${bookmarked ? "b" : ""}${muted ? "m" : ""}${mark}`;
}

function isSame(one: Counts, other: Counts): boolean {
  if (one === other) return true;
  const { likes, retweets, replies } = one;
  return likes === other.likes && retweets === other.retweets && replies === other.replies;
}

function fieldsOf(ctx: Ctx, facts: StatusFacts) {
  const { site, listed, tweet, author, counts, parent, marks } = facts;
  const url = `${site}/tweets/${listed.id}`;
  return {
    id: statusId(listed),
    created_at: formatDate(listed.createdAt),
    visibility: visibilityOf(effectiveAudience(tweet, author)),
    edited_at: tweet.editedAt === undefined ? null : formatDate(tweet.editedAt),
    in_reply_to_id: parent === undefined ? null : statusId(parent),
    in_reply_to_account_id: parent === undefined ? null : parent.author,
    uri: url,
    url,
    replies_count: counts.replies,
    reblogs_count: counts.retweets,
    favourites_count: counts.likes,
    ...marks,
    spoiler_text: tweet.warning ?? "",
    language: tweet.language ?? null,
    content: contentOf(tweet.text, tweet.mentions, site),
    mentions: (tweet.mentions ?? []).map((mention) => {
      const name = nameOf(facts, mention);
      // The address is that of its link in the content: apps compare them.
      return { id: mention.id, username: name, url: `${site}/@${mention.name}`, acct: name };
    }),
    tags: hashtagsIn(tweet.text).map((name) => ({
      name,
      url: `${site}/tags/${encodeURIComponent(name)}`,
    })),
    sensitive: tweet.sensitive === true || tweet.warning !== undefined,
    media_attachments: tweet.pictures?.length ? mediaOf({ ctx, ...facts }, tweet, author) : [],
    quote_approval: isOpen(tweet, author) ? openToQuotes : closedToQuotes,
    ...always,
  } satisfies Fields;
}
