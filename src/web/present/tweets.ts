import type { UserId } from "../../domain/ids.ts";
import type { Counts, Reaction } from "../../domain/tweets/reactions.ts";
import type { FeedItem } from "../../domain/feeds/types.ts";
import type { Tweet } from "../../domain/tweets/tweet.ts";
import type { User } from "../../domain/users/store.ts";
import type { Key, Translator } from "../languages/translator.ts";
import { type NameView, presentName } from "./people.ts";
import type { Sentence, SentencePart } from "./sentences.ts";
import { presentText, type TextPart } from "./text.ts";
import { presentTime, type TimeView } from "./time.ts";

/** A tweet quoted by another one. */
export interface CardView extends TimeView {
  url: string;
  author: NameView;
  parts: TextPart[];
}

/** Something that can be done to a tweet, with the number of times it was done. */
interface ActView {
  /** What pressing the button does. */
  label: string;
  /** Name of the act with its count; undefined if the label says the same. */
  spoken: string | undefined;
  /** Empty for zero. */
  count: string;
}

/** An act that can be undone. */
export interface ActionView extends ActView {
  action: string;
  pressed: boolean;
}

export interface TweetView extends CardView {
  /** Id of the item in the list: for a retweet, the retweet's own. */
  id: string;
  /** Sentences: who retweeted it, and to which user it replies. */
  retweetedBy: Sentence | undefined;
  replyingTo: Sentence | undefined;
  quote: CardView | undefined;
  /** Links to the people who liked or retweeted it, if there are any. */
  lists: { href: string; value: number; text: string; label: string }[];
  reply: ActView & { href: string };
  retweet: ActionView;
  like: ActionView;
  menuUrl: string;
  reportUrl: string;
  /** Only on the viewer's own tweets. */
  deleteUrl: string | undefined;
  pin: { action: string; label: string } | undefined;
  nextAfterDelete: string;
}

/** What a tweet's view depends on beside the tweet; `now` in milliseconds. */
export interface Seen {
  people: ReadonlyMap<UserId, User>;
  viewer: User | undefined;
  words: Translator;
  counts: Counts;
  reaction: Reaction;
  now: number;
}

/** Undefined if its author is gone. */
export function viewTweet(item: FeedItem, seen: Seen): TweetView | undefined {
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
      words.pieces<SentencePart>("tweet.retweetedBy", {
        person: { person: presentName(retweeter) },
      }),
    replyingTo:
      repliedTo &&
      words.pieces<SentencePart>("tweet.replyingTo", {
        person: { text: `@${repliedTo.name}`, href: `/tweets/${tweet.replyTo?.tweet}` },
      }),
    quote: quote && viewCard(quote, seen),
    ...viewActions(card.url, seen, retweet === undefined ? "" : `?at=${retweet.id}`),
    menuUrl: `${card.url}#menu`,
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

/** `at` names the retweet whose item contains the buttons, to return to it. */
function viewActions(url: string, { counts, reaction, words }: Seen, at: string) {
  return {
    lists: [
      list(words, `${url}/retweets`, counts.retweets, "tweet.retweets"),
      list(words, `${url}/likes`, counts.likes, "tweet.likes"),
    ].filter(({ value }) => value > 0),
    reply: { href: `${url}#reply`, ...viewAct(words, "tweet.reply", counts.replies) },
    retweet: {
      action: `${url}/${reaction.retweeted ? "unretweet" : "retweet"}${at}`,
      ...viewAct(
        words,
        "tweet.retweet",
        counts.retweets,
        reaction.retweeted ? "tweet.unretweet" : undefined,
      ),
      pressed: reaction.retweeted,
    },
    like: {
      action: `${url}/${reaction.liked ? "unlike" : "like"}${at}`,
      ...viewAct(words, "tweet.like", counts.likes, reaction.liked ? "tweet.unlike" : undefined),
      pressed: reaction.liked,
    },
  };
}

/** `undo` is the label if it has been done already. */
function viewAct(words: Translator, act: Key, number: number, undo: Key = act): ActView {
  const count = number === 0 ? "" : words.number(number);
  return {
    label: words.t(undo),
    spoken: count === "" && undo === act ? undefined : `${words.t(act)} ${count}`,
    count,
  };
}

function viewPin(words: Translator, url: string, pinned: boolean) {
  return pinned
    ? { action: `${url}/unpin`, label: words.t("tweet.unpin") }
    : { action: `${url}/pin`, label: words.t("tweet.pin") };
}

function list(
  words: Translator,
  href: string,
  value: number,
  key: "tweet.likes" | "tweet.retweets",
) {
  const counted = words.counted(value);
  return { href, value, text: counted.shown, label: words.t(key, counted) };
}
