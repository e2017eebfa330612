import type { TweetId, UserId } from "../../domain/ids.ts";
import type { Counts, Reaction } from "../../domain/tweets/reactions.ts";
import type { FeedItem } from "../../domain/feeds/types.ts";
import type { Tweet } from "../../domain/tweets/tweet.ts";
import type { User } from "../../domain/users/store.ts";
import type { Key, Translator } from "../languages/translator.ts";
import {
  type ButtonView,
  type CountView,
  type NameView,
  presentButton,
  presentCount,
  presentName,
  type Sentence,
} from "./people.ts";
import { presentText, type TextPart, withoutQuoteLink } from "./text.ts";
import { type PicturesView, presentPictures } from "./pictures.ts";
import { presentTime, type TimeView } from "./time.ts";

/** Something that can be done to a tweet, with the number of times it was done. */
interface VerbView {
  /** What pressing the button does. */
  label: string;
  /** Name of the verb with its count; undefined if the label says the same. */
  spoken: string | undefined;
  /** Empty for zero. */
  count: string;
}

/** A verb that can be undone. */
interface ActionView extends VerbView {
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
  /** Titles of the filters that fold it. */
  folded: string | undefined;
  /** Links to the people who liked or retweeted it, if there are any. */
  lists: CountView[];
  reply: VerbView & { href: string };
  retweet: ActionView;
  /** Address of a composer with a link to the tweet. */
  quoteUrl: string;
  like: ActionView;
  bookmark: ButtonView;
  /** The tweet's page, open at its menu; `?menu` lets it lead back to the list. */
  menuUrl: string;
  reportUrl: string;
  /** Only on the viewer's own tweets. */
  deleteUrl: string | undefined;
  /** Only on the viewer's own tweets, while they may be edited. */
  editUrl: string | undefined;
  pin: ButtonView | undefined;
  nextAfterDelete: string;
}

/** What a tweet's view depends on beside the tweet; `now` in milliseconds. */
export interface TweetFacts {
  people: ReadonlyMap<UserId, User>;
  viewer: User | undefined;
  words: Translator;
  counts: Counts;
  reaction: Reaction;
  now: number;
  /** The first of its page that shows pictures: browsers load these at once. */
  isFirst: boolean;
  /** Milliseconds since 1970 until when the tweet may be edited. */
  editableUntil: number;
}

/** Undefined if its author is gone. */
export function viewTweet(item: FeedItem, facts: TweetFacts): TweetView | undefined {
  const { tweet, retweet, quote } = item;
  const { viewer, people, words } = facts;
  const card = viewCard(tweet, facts);
  if (card === undefined) return undefined;
  const quoteCard = quote && viewCard(quote, facts);
  const retweeter = retweet && people.get(retweet.author);
  const repliedTo = tweet.replyTo && people.get(tweet.replyTo.author);
  const isOwn = viewer !== undefined && viewer.id === tweet.author;
  return {
    ...card,
    parts: quoteCard && quote ? withoutQuoteLink(card.parts, quote.id) : card.parts,
    id: (retweet ?? tweet).id,
    retweetedBy:
      retweeter &&
      words.pieces("tweet.retweetedBy", { person: { person: presentName(retweeter) } }),
    replyingTo:
      repliedTo &&
      words.pieces("tweet.replyingTo", {
        person: { text: `@${repliedTo.name}`, href: `/tweets/${tweet.replyTo?.tweet}` },
      }),
    quote: quoteCard,
    folded: item.warnings && words.t("tweet.filtered", { title: item.warnings.join(", ") }),
    ...viewActions(card.url, facts, retweet === undefined ? "" : `?at=${retweet.id}`),
    quoteUrl: `/?quote=${tweet.id}#text`,
    menuUrl: `${card.url}?menu#menu`,
    reportUrl: `${card.url}/report`,
    deleteUrl: isOwn ? `${card.url}/delete` : undefined,
    editUrl: isOwn && facts.now < facts.editableUntil ? `${card.url}/edit` : undefined,
    pin: isOwn ? presentPin(words, card.url, viewer.pinned === tweet.id) : undefined,
    nextAfterDelete: card.author.url,
  };
}

function viewCard(tweet: Tweet, facts: TweetFacts): CardView | undefined {
  const author = facts.people.get(tweet.author);
  return author && presentCard(facts.words, tweet, author, facts);
}

/** `at` names the retweet whose item contains the buttons, to return to it. */
function viewActions(url: string, { counts, reaction, words }: TweetFacts, at: string) {
  const { liked, retweeted, bookmarked } = reaction;
  const { replies, retweets, likes } = counts;
  return {
    lists: [
      presentCount(words, retweets, `${url}/retweets`, "tweet.retweets"),
      presentCount(words, likes, `${url}/likes`, "tweet.likes"),
    ].filter(({ value }) => value > 0),
    reply: { href: `${url}#reply`, ...viewVerb(words, "tweet.reply", replies) },
    retweet: {
      action: `${url}/${retweeted ? "unretweet" : "retweet"}${at}`,
      ...viewVerb(words, "tweet.retweet", retweets, retweeted ? "tweet.unretweet" : undefined),
      pressed: retweeted,
    },
    like: {
      action: `${url}/${liked ? "unlike" : "like"}${at}`,
      ...viewVerb(words, "tweet.like", likes, liked ? "tweet.unlike" : undefined),
      pressed: liked,
    },
    bookmark: {
      action: `${url}/${bookmarked ? "unbookmark" : "bookmark"}${at}`,
      label: words.t(bookmarked ? "tweet.unbookmark" : "tweet.bookmark"),
      pressed: bookmarked,
    },
  };
}

/** `undo` is the label if it has been done already. */
function viewVerb(words: Translator, verb: Key, number: number, undo: Key = verb): VerbView {
  const count = number === 0 ? "" : words.number(number);
  return {
    label: words.t(undo),
    spoken: count === "" && undo === verb ? undefined : `${words.t(verb)} ${count}`,
    count,
  };
}

function presentPin(words: Translator, url: string, pinned: boolean): ButtonView {
  return pinned
    ? presentButton(words, `${url}/unpin`, "tweet.unpin", true)
    : presentButton(words, `${url}/pin`, "tweet.pin", false);
}

/** A tweet quoted by another one. */
export interface CardView extends TimeView {
  url: string;
  /** The tweet's page, open at the tweet: what a reply answers stands above it. */
  openUrl: string;
  author: NameView;
  /** Content warning: everything else is folded under it. */
  warning: string | undefined;
  /** Language of its words, if that is another one than the page's. */
  lang: string | undefined;
  /** Empty for a tweet of pictures alone. */
  parts: TextPart[];
  pictures: PicturesView | undefined;
  /** Time of the last edit, if there was one. */
  edited: EditedView | undefined;
}

interface EditedView extends TimeView {
  /** "Edited November 3, 2026 at 4:05 AM UTC". */
  sentence: string;
  historyUrl: string;
}

/** `now` in milliseconds. `isFirst`: browsers load its pictures at once. */
export function presentCard(
  words: Translator,
  tweet: Tweet,
  author: User,
  { now, isFirst = false }: { now: number; isFirst?: boolean },
): CardView {
  return {
    url: `/tweets/${tweet.id}`,
    openUrl: tweet.replyTo === undefined ? `/tweets/${tweet.id}` : openUrl(tweet.id),
    author: presentName(author),
    warning: tweet.warning,
    lang: foreignTo(words, tweet),
    parts: presentText(tweet.text, tweet.mentions),
    pictures: presentPictures(words, tweet, isFirst),
    edited: presentEdited(words, tweet, now),
    ...presentTime(words, tweet.createdAt, now),
  };
}

/** The language of a tweet if the page's is another one. */
export function foreignTo(words: Translator, { language }: Tweet): string | undefined {
  return language === words.language ? undefined : language;
}

/** `now` in milliseconds. Undefined if the tweet is as it was posted. */
export function presentEdited(
  words: Translator,
  { id, editedAt }: Tweet,
  now: number,
): EditedView | undefined {
  if (editedAt === undefined) return undefined;
  const time = presentTime(words, editedAt, now);
  const sentence = words.t("tweet.editedAt", { time: time.longTime });
  return { ...time, sentence, historyUrl: `/tweets/${id}/history` };
}

/** A tweet on its own page. */
export function openUrl(id: TweetId): string {
  return `/tweets/${id}#tweet-${id}`;
}
