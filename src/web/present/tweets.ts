import type { UserId } from "../../domain/ids.ts";
import type { Counts } from "../../domain/tweets/counts.ts";
import type { Listed } from "../../domain/tweets/read-feed.ts";
import type { Tweet } from "../../domain/tweets/tweet.ts";
import type { Reaction } from "../../domain/users/relations.ts";
import type { User } from "../../domain/users/store.ts";
import { presentNumber } from "./numbers.ts";
import { type NameView, presentName } from "./people.ts";
import { presentText, type TextPart } from "./text.ts";
import { presentTime, type TimeView } from "./time.ts";

/** A tweet that another one quotes. */
export interface CardView extends TimeView {
  url: string;
  author: NameView;
  parts: TextPart[];
}

/** Something that can be done to a tweet and undone, and how often it was done. */
export interface ActionView {
  action: string;
  /** What it is called, done or not. */
  name: string;
  /** What pressing it would do. */
  label: string;
  pressed: boolean;
  count: string;
}

export interface TweetView extends CardView {
  /** Of the item in the list: the retweet's own, if it is one. */
  id: string;
  retweetedBy: NameView | undefined;
  replyingTo: { name: string; href: string } | undefined;
  quote: CardView | undefined;
  /** Who did something about it, where anybody has. */
  lists: { href: string; value: number; text: string; label: string }[];
  reply: { href: string; count: string };
  retweet: ActionView;
  like: ActionView;
  reportUrl: string;
  /** On one's own tweets only. */
  deleteUrl: string | undefined;
  pin: { action: string; label: string } | undefined;
  nextAfterDelete: string;
}

/** What a tweet's view depends on beside the tweet; `now` in milliseconds. */
export interface Seen {
  people: ReadonlyMap<UserId, User>;
  viewer: User | undefined;
  counts: Counts;
  reaction: Reaction;
  now: number;
}

/** Undefined if its author is gone. */
export function viewTweet(item: Listed, seen: Seen): TweetView | undefined {
  const { tweet, retweet, quote } = item;
  const { people, viewer, now } = seen;
  const card = viewCard(tweet, people, now);
  if (card === undefined) return undefined;
  const retweeter = retweet && people.get(retweet.author);
  const repliedTo = tweet.replyTo && people.get(tweet.replyTo.author);
  return {
    ...card,
    id: (retweet ?? tweet).id,
    retweetedBy: retweeter && presentName(retweeter),
    replyingTo: repliedTo && { name: repliedTo.name, href: `/tweets/${tweet.replyTo?.tweet}` },
    quote: quote && viewCard(quote, people, now),
    ...viewActions(card.url, seen, retweet === undefined ? "" : `?at=${retweet.id}`),
    reportUrl: `${card.url}/report`,
    deleteUrl: viewer?.id === tweet.author ? `${card.url}/delete` : undefined,
    pin: viewer?.id === tweet.author ? viewPin(card.url, viewer.pinned === tweet.id) : undefined,
    nextAfterDelete: card.author.url,
  };
}

function viewCard(
  tweet: Tweet,
  people: ReadonlyMap<UserId, User>,
  now: number,
): CardView | undefined {
  const author = people.get(tweet.author);
  if (author === undefined) return undefined;
  return {
    url: `/tweets/${tweet.id}`,
    author: presentName(author),
    parts: presentText(tweet.text, tweet.mentions),
    ...presentTime(tweet.createdAt, now),
  };
}

/** `at` names the retweet among whose items the buttons are pressed, to lead back to it. */
function viewActions(url: string, { counts, reaction }: Seen, at: string) {
  return {
    lists: [
      list(`${url}/retweets`, counts.retweets, "Retweet", "Retweets"),
      list(`${url}/likes`, counts.likes, "Like", "Likes"),
    ].filter(({ value }) => value > 0),
    reply: { href: `${url}#reply`, count: countText(counts.replies) },
    retweet: {
      name: "Retweet",
      ...(reaction.retweeted
        ? { action: `${url}/unretweet${at}`, label: "Undo retweet", pressed: true }
        : { action: `${url}/retweet${at}`, label: "Retweet", pressed: false }),
      count: countText(counts.retweets),
    },
    like: {
      name: "Like",
      ...(reaction.liked
        ? { action: `${url}/unlike${at}`, label: "Unlike", pressed: true }
        : { action: `${url}/like${at}`, label: "Like", pressed: false }),
      count: countText(counts.likes),
    },
  };
}

function viewPin(url: string, pinned: boolean) {
  return pinned
    ? { action: `${url}/unpin`, label: "Unpin" }
    : { action: `${url}/pin`, label: "Pin to profile" };
}

function list(href: string, value: number, one: string, many: string) {
  return { href, value, text: presentNumber(value), label: value === 1 ? one : many };
}

/** Nothing where there is nothing to count. */
function countText(count: number): string {
  return count === 0 ? "" : presentNumber(count);
}
