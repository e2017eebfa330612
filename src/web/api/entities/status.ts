import { z } from "zod";
import { required } from "../../../domain/errors.ts";
import { answeredBy } from "../../../domain/feeds/feed-items.ts";
import type { FeedItem } from "../../../domain/feeds/types.ts";
import { reactionsTo, type Counts, readCounts } from "../../../domain/tweets/reactions.ts";
import { readTallies } from "../../../domain/tweets/poll.ts";
import { filterMatcher } from "../../../domain/graph/filters.ts";
import { mutedConversations } from "../../../domain/notifications/muted-conversations.ts";
import { readAccountStats } from "../../../domain/timelines/account-stats.ts";
import type { Tweet } from "../../../domain/tweets/tweet.ts";
import { findUsers } from "../../../domain/users/store.ts";
import { entity } from "./fields.ts";
import { type ApiView, type Json, toJson, withFields } from "./parts.ts";
import { Account, readBioMentions, serializeAccount } from "./account.ts";
import { FilterResult, serializeMatches } from "./filter.ts";
import { Poll, pollEntity } from "./poll.ts";
import { serializeStatus, statusFields } from "./status-text.ts";

/** A retweet contains the original in `reblog`; a tweet of this site that a tweet links to is in `quote`. */
export const Status: z.ZodType = entity("Status", {
  ...statusFields,
  account: Account,
  poll: Poll.nullable(),
  filtered: z.array(FilterResult).describe("Filters of the viewer that it matches."),
  quote: z
    .strictObject({ state: z.literal("accepted"), quoted_status: z.lazy(() => Status) })
    .nullable(),
  reblog: z.lazy(() => Status).nullable(),
});

/** Throws NotFound if the author is gone. */
export async function presentStatus(view: ApiView, item: FeedItem): Promise<Json> {
  const [status] = await presentStatuses(view, [item]);
  return required(status, "author");
}

/** Statuses in order, without those whose author is gone. */
export async function presentStatuses(view: ApiView, items: FeedItem[]): Promise<Json[]> {
  const statuses = await presentEach(view, items);
  return statuses.filter((status) => status !== undefined);
}

/** Statuses in order; undefined where the author is gone. All facts are read at once. */
export async function presentEach(view: ApiView, items: FeedItem[]): Promise<(Json | undefined)[]> {
  const facts = await readFacts(view, items);
  return items.map((item) => serializeItem(facts, item));
}

/** All that statuses depend on but themselves. `mentioned`: the users named in bios. */
async function readFacts({ ctx, viewer, site }: ApiView, items: FeedItem[]) {
  const tweets = items.flatMap(({ tweet, quote }) => (quote ? [tweet, quote] : [tweet]));
  const ids = tweets.map(({ id }) => id);
  const authors = tweets.map(({ author }) => author);
  for (const { retweet } of items) if (retweet !== undefined) authors.push(retweet.author);
  const called = tweets.flatMap(({ mentions = [] }) => mentions.map(({ id }) => id));
  const [people, standings, counts, tallies, ...others] = await Promise.all([
    findUsers(ctx, [...authors, ...called]),
    readAccountStats(ctx, authors),
    readCounts(ctx, ids),
    readTallies(ctx, viewer, tweets),
    reactionsTo(ctx, viewer, ids),
    mutedConversations(ctx, viewer, tweets),
    filterMatcher(ctx, viewer),
    answeredBy(ctx, viewer, tweets),
  ]);
  const [reactionTo, isMuted, matchesOf, answerTo] = others;
  const knownAuthors = authors.flatMap((id) => people.get(id) ?? []);
  const mentioned = await readBioMentions(ctx, knownAuthors);
  const read = { people, standings, counts, tallies, reactionTo, answerTo, mentioned };
  return { ctx, viewer, site, isMuted, matchesOf, ...read };
}

type Facts = Awaited<ReturnType<typeof readFacts>>;

const absent = toJson(null);
const noMatches = toJson([]);

/** A retweet is a status of its own. */
function serializeItem(facts: Facts, { tweet, retweet, quote }: FeedItem): Json | undefined {
  const quoted = quote && serializePart(facts, quote, quote);
  const accepted = quoted && withFields(toJson({ state: "accepted" }), { quoted_status: quoted });
  const original = serializePart(facts, tweet, tweet, { quote: accepted });
  if (retweet === undefined || original === undefined) return original;
  return serializePart(facts, retweet, tweet, { reblog: original });
}

/** One tweet, or the retweet of it. Undefined if its author is gone. */
function serializePart(
  facts: Facts,
  listed: Tweet,
  tweet: Tweet,
  { quote = absent, reblog = absent }: { quote?: Json | undefined; reblog?: Json } = {},
): Json | undefined {
  const { ctx, site, viewer } = facts;
  const lister = facts.people.get(listed.author);
  const author = facts.people.get(tweet.author);
  const standing = facts.standings.get(listed.author);
  if (lister === undefined || author === undefined || standing === undefined) return undefined;
  const { liked, retweeted, bookmarked } = facts.reactionTo(tweet.id);
  const answered = facts.answerTo(tweet);
  const isOwn = viewer?.id === listed.author && listed === tweet;
  const status = serializeStatus(ctx, {
    site,
    viewer,
    listed,
    tweet,
    author,
    people: facts.people,
    counts: facts.counts.get(tweet.id) ?? noCounts,
    parent: answered === "closed" ? undefined : answered,
    marks: {
      favourited: liked,
      reblogged: retweeted,
      bookmarked,
      muted: facts.isMuted(tweet.id),
      pinned: isOwn ? viewer.pinned === tweet.id : undefined,
    },
  });
  const account = serializeAccount(site, lister, standing, facts.mentioned);
  const matches = facts.matchesOf(tweet);
  const filtered = matches.length === 0 ? noMatches : serializeMatches(matches);
  const poll =
    tweet.poll === undefined || listed !== tweet
      ? absent
      : toJson(pollEntity(facts, tweet, tweet.poll, facts.tallies.get(tweet.id)));
  return withFields(status, { account, poll, filtered, quote, reblog });
}

const noCounts: Counts = { replies: 0, retweets: 0, likes: 0 };
