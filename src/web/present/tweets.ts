import type { UserId } from "../../domain/ids.ts";
import type { Counts } from "../../domain/tweets/counts.ts";
import type { Listed } from "../../domain/tweets/read-feed.ts";
import type { Tweet } from "../../domain/tweets/tweet.ts";
import type { Reaction } from "../../domain/users/relations.ts";
import type { User } from "../../domain/users/store.ts";
import type { Words } from "../languages/words.ts";
import { type NameView, presentName } from "./people.ts";
import type { Sentence, Thing } from "./sentences.ts";
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
  /** Who retweeted it, and whom it answers, each said in a sentence. */
  retweetedBy: Sentence | undefined;
  replyingTo: Sentence | undefined;
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
  words: Words;
  counts: Counts;
  reaction: Reaction;
  now: number;
}

/** Undefined if its author is gone. */
export function viewTweet(item: Listed, seen: Seen): TweetView | undefined {
  const { tweet, retweet, quote } = item;
  const { viewer, people, words } = seen;
  const card = viewCard(tweet, seen);
  if (card === undefined) return undefined;
  const retweeter = retweet && people.get(retweet.author);
  const repliedTo = tweet.replyTo && people.get(tweet.replyTo.author);
  return {
    ...card,
    id: (retweet ?? tweet).id,
    retweetedBy:
      retweeter &&
      words.pieces<Thing>("tweet.retweetedBy", { person: { person: presentName(retweeter) } }),
    replyingTo:
      repliedTo &&
      words.pieces<Thing>("tweet.replyingTo", {
        person: { text: `@${repliedTo.name}`, href: `/tweets/${tweet.replyTo?.tweet}` },
      }),
    quote: quote && viewCard(quote, seen),
    ...viewActions(card.url, seen, retweet === undefined ? "" : `?at=${retweet.id}`),
    reportUrl: `${card.url}/report`,
    deleteUrl: viewer?.id === tweet.author ? `${card.url}/delete` : undefined,
    pin:
      viewer?.id === tweet.author
        ? viewPin(words, card.url, viewer.pinned === tweet.id)
        : undefined,
    nextAfterDelete: card.author.url,
  };
}

function viewCard(tweet: Tweet, { people, words, now }: Seen): CardView | undefined {
  const author = people.get(tweet.author);
  if (author === undefined) return undefined;
  return {
    url: `/tweets/${tweet.id}`,
    author: presentName(author),
    parts: presentText(tweet.text, tweet.mentions),
    ...presentTime(words, tweet.createdAt, now),
  };
}

/** `at` names the retweet among whose items the buttons are pressed, to lead back to it. */
function viewActions(url: string, { counts, reaction, words }: Seen, at: string) {
  return {
    lists: [
      list(words, `${url}/retweets`, counts.retweets, "tweet.retweets"),
      list(words, `${url}/likes`, counts.likes, "tweet.likes"),
    ].filter(({ value }) => value > 0),
    reply: { href: `${url}#reply`, count: countText(words, counts.replies) },
    retweet: {
      name: words.t("tweet.retweet"),
      ...(reaction.retweeted
        ? { action: `${url}/unretweet${at}`, label: words.t("tweet.unretweet"), pressed: true }
        : { action: `${url}/retweet${at}`, label: words.t("tweet.retweet"), pressed: false }),
      count: countText(words, counts.retweets),
    },
    like: {
      name: words.t("tweet.like"),
      ...(reaction.liked
        ? { action: `${url}/unlike${at}`, label: words.t("tweet.unlike"), pressed: true }
        : { action: `${url}/like${at}`, label: words.t("tweet.like"), pressed: false }),
      count: countText(words, counts.likes),
    },
  };
}

function viewPin(words: Words, url: string, pinned: boolean) {
  return pinned
    ? { action: `${url}/unpin`, label: words.t("tweet.unpin") }
    : { action: `${url}/pin`, label: words.t("tweet.pin") };
}

function list(words: Words, href: string, value: number, key: "tweet.likes" | "tweet.retweets") {
  const counted = words.counted(value);
  return { href, value, text: counted.shown, label: words.t(key, counted) };
}

/** Nothing where there is nothing to count. */
function countText(words: Words, count: number): string {
  return count === 0 ? "" : words.number(count);
}
