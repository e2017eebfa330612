import type { Ctx } from "../../context.ts";
import type { UserId } from "../../domain/ids.ts";
import type { Kind } from "../../domain/notifications/store.ts";
import type { Notified } from "../../domain/tweets/notifications.ts";
import { findUsers, type User } from "../../domain/users/store.ts";
import type { Words } from "../languages/words.ts";
import type { Reader } from "../middleware/language.ts";
import { type NameView, presentName } from "./people.ts";
import { presentTime, type TimeView } from "./time.ts";
import { presentTweets } from "./timeline.ts";
import type { TweetView } from "./tweets.ts";

/** A piece of a sentence: somebody, or words, which may lead somewhere. */
type Piece = { person: NameView } | { words: string; url?: string | undefined };

export interface NotificationView extends TimeView {
  kind: Kind;
  glyph: string;
  unread: boolean;
  /** "Demo A and 3 others liked your tweet". */
  sentence: Piece[];
  /** Some of those it is about, newest first. */
  people: NameView[];
  /** The beginning of the tweet that was liked or retweeted. */
  excerpt: { text: string; url: string } | undefined;
  /** What was written, so that one can answer. */
  tweet: TweetView | undefined;
}

const facesShown = 6;
/** Characters. */
const excerptLimit = 140;

const deeds: Record<Kind, { words: string; object: string }> = {
  follow: { words: " followed ", object: "you" },
  like: { words: " liked ", object: "your tweet" },
  retweet: { words: " retweeted ", object: "your tweet" },
  reply: { words: " replied to ", object: "your tweet" },
  mention: { words: " mentioned ", object: "you" },
};

/** Those of whom nothing can be shown (any more) are left out. */
export async function presentNotifications(
  ctx: Ctx,
  { viewer, words }: Reader & { viewer: User },
  items: Notified[],
): Promise<NotificationView[]> {
  const written = items.flatMap(({ kind, item }) => (isWritten(kind) && item ? [item] : []));
  const [people, tweets] = await Promise.all([
    findUsers(
      ctx,
      items.flatMap(({ actors }) => actors.slice(0, facesShown)),
    ),
    presentTweets(ctx, { viewer, words }, written),
  ]);
  const views = new Map(written.map(({ tweet }, index) => [tweet.id, tweets[index]]));
  const now = ctx.now();
  return items
    .map((one) => viewNotification(one, { people, views, viewer, words, now }))
    .filter((view) => view !== undefined);
}

function isWritten(kind: Kind): boolean {
  return kind === "reply" || kind === "mention";
}

/** What views depend on beside the notification; `now` in milliseconds. */
interface Seen {
  people: ReadonlyMap<UserId, User>;
  views: ReadonlyMap<string, TweetView | undefined>;
  viewer: User;
  words: Words;
  now: number;
}

function viewNotification(one: Notified, seen: Seen): NotificationView | undefined {
  const { kind, actors, stamp, unread, item } = one;
  const people = actors
    .slice(0, facesShown)
    .flatMap((id) => seen.people.get(id) ?? [])
    .map(presentName);
  const tweet = isWritten(kind) && item ? seen.views.get(item.tweet.id) : undefined;
  const isGone = kind !== "follow" && (isWritten(kind) ? tweet : item) === undefined;
  if (people.length === 0 || isGone) return undefined;
  const list = item ? `/tweets/${item.tweet.id}/${kind}s` : `/@${seen.viewer.name}/followers`;
  return {
    kind,
    glyph: `glyph-${kind}`,
    unread,
    sentence: [...presentActors(people, actors.length, list), ...presentDeed(one)],
    people,
    excerpt: item && tweet === undefined ? presentExcerpt(item.tweet) : undefined,
    tweet,
    ...presentTime(seen.words, stamp, seen.now),
  };
}

/** "Demo A", "Demo A and Demo B", "Demo A and 3 others". */
function presentActors(people: NameView[], count: number, list: string): Piece[] {
  const [first, second] = people.map((person) => ({ person }));
  if (first === undefined || count === 1) return first === undefined ? [] : [first];
  if (second !== undefined && count === 2) return [first, { words: " and " }, second];
  const others = count === 2 ? "1 other" : `${count - 1} others`;
  return [first, { words: " and " }, { words: others, url: list }];
}

function presentDeed({ kind, item }: Notified): Piece[] {
  const { words, object } = deeds[kind];
  const tweet = kind === "reply" ? item?.tweet.replyTo?.tweet : item?.tweet.id;
  const url = kind === "mention" || tweet === undefined ? undefined : `/tweets/${tweet}`;
  return [{ words }, { words: object, url }];
}

function presentExcerpt({ id, text }: { id: string; text: string }) {
  const characters = [...text.replaceAll(/\s+/g, " ")];
  const isLong = characters.length > excerptLimit;
  const shown = isLong ? `${characters.slice(0, excerptLimit).join("").trimEnd()}…` : text;
  return { text: shown, url: `/tweets/${id}` };
}
