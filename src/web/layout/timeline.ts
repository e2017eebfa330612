import { memo } from "../../domain/memo.ts";
import { LRUCache } from "lru-cache";
import type { Ctx } from "../../context.ts";
import { editableUntil } from "../../domain/actions/edit-tweet.ts";
import { mayRetweet } from "../../domain/actions/retweet.ts";
import { answeredBy } from "../../domain/feeds/feed-items.ts";
import { expiresAt, withoutCachingNow } from "../../domain/scope.ts";
import type { UserId } from "../../domain/ids.ts";
import { isOpen } from "../../domain/tweets/audience.ts";
import { type Counts, readCounts, reactionsTo } from "../../domain/tweets/reactions.ts";
import { readTallies } from "../../domain/tweets/poll.ts";
import type { ItemHtml, PlacedItem } from "../../domain/feeds/kept-list.ts";
import type { FeedItem } from "../../domain/feeds/types.ts";
import { openPictures, type Tweet } from "../../domain/tweets/tweet.ts";
import { findUsers, type User } from "../../domain/users/store.ts";
import type { Reader } from "../languages/translator.ts";
import { viewOf } from "./templates.ts";
import { keyOfPoll, nextChangeOfPoll } from "./poll.ts";
import { nextShortTime } from "./time.ts";
import { type TweetFacts, viewTweet } from "./tweet.ts";

/** Max bytes of rendered HTML that one process keeps. */
const keptBytes = 24_000_000;

/** Items at the top of a page. Browsers load the first pictures among them at once. */
const itemsInView = 3;

/** A rendered list item, with everything it depends on that may change. */
interface RenderedItem extends ItemHtml {
  people: (User | undefined)[];
  counts: Counts;
  /** Valid from then to `until`, while its times stay the same. */
  madeAt: number;
}

const renderedItems = memo(
  (_ctx: Ctx) =>
    new LRUCache<string, RenderedItem>({
      maxSize: keptBytes,
      sizeCalculation: ({ html }) => html.length,
    }),
);

/**
 * Renders the list items of a timeline, escaped and ready for renderTimeline. Items of deleted authors
 * are left out. Most readers see the same item, so each is rendered once and kept until its people,
 * counts or times change. Differences between viewers are part of the key.
 */
export async function presentTimeline(ctx: Ctx, reader: Reader, items: FeedItem[]) {
  const shown = await presentItems(ctx, reader, items);
  return shown.filter((html) => html !== undefined);
}

/** Rendered items; undefined for those of deleted authors. `answers` are shown as answers to the item above. */
export async function presentItems(
  ctx: Ctx,
  reader: Reader,
  items: FeedItem[],
  answers: ReadonlySet<FeedItem> = new Set(),
): Promise<(Buffer | undefined)[]> {
  const first = firstWithPictures(items);
  const placed = items.map((item) => ({
    item,
    // Strangers' pages have microformats.
    place: `${answers.has(item) ? "a" : ""}${item === first ? "f" : ""}${reader.viewer ? "" : "m"}`,
  }));
  const make = async (missing: PlacedItem[]) => await renderItems(ctx, reader, missing);
  const shown = await (reader.kept?.html(ctx, placed, make) ?? make(placed));
  expiresAt(Math.min(...shown.map((one) => one?.until ?? Infinity)));
  return shown.map((one) => one?.html);
}

async function renderItems(ctx: Ctx, reader: Reader, placed: PlacedItem[]) {
  const items = placed.map(({ item }) => item);
  const first = placed.find(({ place }) => place.includes("f"))?.item;
  const factsOf = await gatherFacts(ctx, reader, items, first);
  const rendered = renderedItems(ctx);
  return placed.map(({ item, place }) => {
    const facts = factsOf(item);
    const people = peopleIn(item).map((id) => facts.people.get(id));
    if (people[0] === undefined) return undefined;
    const isAnswer = place.includes("a");
    const key = `${reader.words.language} ${place} ${keyOf(item, facts)}`;
    const copy = rendered.get(key);
    // npm run dev keeps nothing, so that changes of the template show.
    const isKept = copy !== undefined && !ctx.config.reloadViews && isCurrent(copy, people, facts);
    const current = isKept ? copy : renderItem(ctx, { item, isAnswer }, people, facts);
    if (!isKept) rendered.set(key, current);
    return { html: current.html, until: current.until };
  });
}

/** A tweet as its own page shows it. Undefined if its author is gone. */
export async function presentTweet(ctx: Ctx, reader: Reader, item: FeedItem) {
  const [view] = await presentTweets(ctx, reader, [item]);
  return view;
}

/** Tweets as shown outside of a timeline; see presentTweet. */
export async function presentTweets(ctx: Ctx, reader: Reader, items: FeedItem[]) {
  const factsOf = await gatherFacts(ctx, reader, items, firstWithPictures(items));
  return items.map((item) => {
    const facts = factsOf(item);
    expiresAt(nextChangeOf(item, facts.now));
    if (facts.now < facts.editableUntil) expiresAt(facts.editableUntil);
    return viewTweet(item, facts);
  });
}

const noCounts: Counts = { replies: 0, retweets: 0, likes: 0 };

/** Its pictures are loaded at once. */
function firstWithPictures(items: FeedItem[]): FeedItem | undefined {
  return items.slice(0, itemsInView).find(({ tweet }) => openPictures(tweet).length > 0);
}

/** Loads everything that the views of items depend on. */
async function gatherFacts(
  ctx: Ctx,
  { viewer, words }: Reader,
  items: FeedItem[],
  first: FeedItem | undefined,
): Promise<(item: FeedItem) => TweetFacts> {
  const ids = items.map(({ tweet }) => tweet.id);
  const tweets = items.map(({ tweet }) => tweet);
  const [people, counts, tallies, reactionTo, answered] = await Promise.all([
    findUsers(ctx, items.flatMap(peopleIn)),
    readCounts(ctx, ids),
    readTallies(ctx, viewer, tweets),
    reactionsTo(ctx, viewer, ids),
    answeredBy(ctx, viewer, tweets),
  ]);
  const now = withoutCachingNow(ctx);
  return (item) => {
    const { tweet } = item;
    const author = people.get(tweet.author);
    return {
      people,
      viewer,
      words,
      counts: counts.get(tweet.id) ?? noCounts,
      tally: tallies.get(tweet.id),
      reaction: reactionTo(tweet.id),
      now,
      isFirst: item === first,
      editableUntil: editableUntil(ctx, tweet),
      isOpen: author !== undefined && isOpen(tweet, author),
      mayRetweet: author !== undefined && mayRetweet(tweet, author, viewer?.id),
      answersClosed: answered(tweet) === "closed",
    };
  };
}

/** Users whose names an item shows, the author first. */
function peopleIn({ tweet, retweet, quote }: FeedItem): UserId[] {
  const named = [tweet.author, retweet?.author, tweet.replyTo?.author, quote?.author];
  return named.filter((id) => id !== undefined);
}

/** An import may add pictures to a tweet that has none, which is no edit. */
const versionOf = ({ editedAt, pictures = [] }: Tweet) => `${editedAt ?? ""}p${pictures.length}`;

/** Titles of filters stand last: they are written by users, who could make them look like anything after them. */
function keyOf(
  { tweet, retweet, quote, warnings = [] }: FeedItem,
  { reaction, tally, viewer, mayRetweet: mayShare, answersClosed }: TweetFacts,
): string {
  const { liked, retweeted, bookmarked } = reaction;
  const may = `${mayShare ? "s" : ""}${answersClosed ? "c" : ""}`;
  const done = `${liked ? "l" : ""}${retweeted ? "r" : ""}${bookmarked ? "b" : ""}${may}`;
  const version = `${versionOf(tweet)}${quote === undefined ? "" : `q${versionOf(quote)}`}`;
  return `${(retweet ?? tweet).id} ${done}${version}${keyOfPoll(tweet, tally, viewer?.id)} ${warnings.join("\n")}`;
}

/** When one of the times shown by an item changes next. */
function nextChangeOf({ tweet, quote }: FeedItem, now: number): number {
  const shown = quote === undefined ? [tweet] : [tweet, quote];
  const times = shown.flatMap(({ createdAt, editedAt = createdAt }) => [createdAt, editedAt]);
  const next = times.map((stamp) => nextShortTime(stamp, now));
  return Math.min(...next, nextChangeOfPoll(tweet, now));
}

/** Of users only what a list of tweets shows is compared. */
function isCurrent(
  item: RenderedItem,
  people: (User | undefined)[],
  { counts, now }: TweetFacts,
): boolean {
  const looksAlike = (person: User | undefined, nth: number) =>
    isSame(person, people[nth], ["name", "fullname", "avatar", "protected"]);
  const isInTime = now >= item.madeAt && now < item.until;
  const isCountedAlike = () => isSame(item.counts, counts, ["likes", "retweets", "replies"]);
  return isInTime && item.people.every(looksAlike) && isCountedAlike();
}

function isSame<Thing>(one?: Thing, other?: Thing, names: (keyof Thing)[] = []): boolean {
  return one === other || names.every((name) => one?.[name] === other?.[name]);
}

function renderItem(
  { config }: Ctx,
  { item, isAnswer }: { item: FeedItem; isAnswer: boolean },
  people: (User | undefined)[],
  facts: TweetFacts,
): RenderedItem {
  const { counts, now, words } = facts;
  const values = { tweet: viewTweet(item, facts), isAnswer, t: words.t.bind(words) };
  const html = Buffer.from(viewOf(config, "tweets/item")(values));
  return { html, people, counts, madeAt: now, until: nextChangeOf(item, now) };
}
