import type { TweetId, UserId } from "../../domain/ids.ts";
import type { Counts, Reaction } from "../../domain/tweets/reactions.ts";
import type { Tally } from "../../domain/tweets/poll.ts";
import type { FeedItem } from "../../domain/feeds/types.ts";
import type { Tweet } from "../../domain/tweets/tweet.ts";
import type { User } from "../../domain/users/store.ts";
import type { Key, Translator } from "../languages/translator.ts";
import { presentAudience } from "./audience.ts";
import { type ButtonView, presentButton, presentCount, presentName } from "./people.ts";
import { presentText, withoutQuoteLink } from "./text.ts";
import { presentPoll } from "./poll.ts";
import { presentPictures } from "./pictures.ts";
import { presentTime } from "./time.ts";

/** What a tweet's view depends on beside the tweet; `now` in milliseconds. */
export interface TweetFacts {
  people: ReadonlyMap<UserId, User>;
  viewer: User | undefined;
  words: Translator;
  counts: Counts;
  /** Of its poll, if it has one. */
  tally: Tally | undefined;
  reaction: Reaction;
  now: number;
  /** The first of its page that shows pictures: browsers load these at once. */
  isFirst: boolean;
  /** Milliseconds since 1970 until when the tweet may be edited. */
  editableUntil: number;
  /** Whether everyone may see the tweet, so that it may be quoted. */
  isOpen: boolean;
  mayRetweet: boolean;
  /** Whether it answers a tweet whose audience hides it from the viewer. */
  answersClosed: boolean;
}

/** Classes of microformats2, for programs outside of the site: members' pages do without. */
const microformats = {
  entry: "h-entry",
  author: "p-author h-card",
  name: "p-name",
  content: "e-content",
  photo: "u-photo",
  published: "dt-published",
  url: "u-url",
  own: "u-url u-uid",
  answered: "u-in-reply-to",
  quote: "u-quotation-of h-cite",
  quoted: "p-author",
};
const noClasses: Partial<typeof microformats> = {};

/** Undefined if its author is gone. */
export function viewTweet(item: FeedItem, facts: TweetFacts) {
  const { tweet, retweet, quote } = item;
  const { viewer, people, words } = facts;
  const card = viewCard(tweet, facts);
  if (card === undefined) return undefined;
  const quoteCard = quote && viewCard(quote, facts);
  const retweeter = retweet && people.get(retweet.author);
  const repliedTo = tweet.replyTo && people.get(tweet.replyTo.author);
  const at = retweet === undefined ? "" : `?at=${retweet.id}`;
  const ownUrl = viewer?.id === tweet.author ? card.url : undefined;
  return {
    ...card,
    mf: viewer === undefined ? microformats : noClasses,
    parts: quoteCard && quote ? withoutQuoteLink(card.parts, quote.id) : card.parts,
    /** Id of the item in the list: for a retweet, the retweet's own. */
    id: (retweet ?? tweet).id,
    retweetedBy:
      retweeter &&
      words.pieces("tweet.retweetedBy", { person: { person: presentName(retweeter) } }),
    replyingTo: facts.answersClosed
      ? [words.t("tweet.replyingToHidden")]
      : repliedTo &&
        words.pieces("tweet.replyingTo", {
          person: { text: `@${repliedTo.name}`, href: `/tweets/${tweet.replyTo?.tweet}` },
        }),
    quote: quoteCard,
    /** Titles of the filters that fold it. */
    folded: item.warnings && words.t("tweet.filtered", { title: item.warnings.join(", ") }),
    poll: presentPoll(words, tweet, facts.tally, { ...facts, at }),
    ...viewActions(card.url, facts, at),
    /** Address of a composer with a link to the tweet, if that may be quoted. */
    quoteUrl: facts.isOpen ? `/?quote=${tweet.id}#text` : undefined,
    /** The tweet's page, open at its menu; `?menu` lets it lead back to the list. */
    menuUrl: `${card.url}?menu#menu`,
    reportUrl: `${card.url}/report`,
    deleteUrl: ownUrl && `${ownUrl}/delete`,
    editUrl: facts.now < facts.editableUntil ? ownUrl && `${ownUrl}/edit` : undefined,
    pin: ownUrl && presentPin(words, ownUrl, viewer?.pinned === tweet.id),
    nextAfterDelete: card.author.url,
  };
}

function viewCard(tweet: Tweet, facts: TweetFacts) {
  const author = facts.people.get(tweet.author);
  return author && presentCard(facts.words, tweet, author, facts);
}

type Verb = "retweet" | "like" | "bookmark";

/** `at` names the retweet whose item contains the buttons, to return to it. */
function viewActions(url: string, { counts, reaction, words, mayRetweet }: TweetFacts, at: string) {
  const { replies, retweets, likes } = counts;
  const { liked, retweeted, bookmarked } = reaction;
  const button = (verb: Verb | `un${Verb}`) => ({
    action: `${url}/${verb}${at}`,
    label: words.t(`tweet.${verb}`),
    pressed: verb.startsWith("un"),
  });
  return {
    /** Links to the people who liked or retweeted it, if there are any. */
    lists: [
      presentCount(words, retweets, `${url}/retweets`, "tweet.retweets"),
      presentCount(words, likes, `${url}/likes`, "tweet.likes"),
    ].filter(({ value }) => value > 0),
    reply: {
      href: `${url}#reply`,
      label: words.t("tweet.reply"),
      ...viewCount(words, "tweet.reply", replies),
    },
    /** What was retweeted once can be taken back. */
    retweet: (mayRetweet || retweeted) && {
      ...button(retweeted ? "unretweet" : "retweet"),
      ...viewCount(words, "tweet.retweet", retweets, retweeted),
    },
    like: { ...button(liked ? "unlike" : "like"), ...viewCount(words, "tweet.like", likes, liked) },
    bookmark: button(bookmarked ? "unbookmark" : "bookmark"),
  };
}

/** How often a verb was done, empty for zero, and its name with the count; no name if the label says the same. */
function viewCount(words: Translator, verb: Key, number: number, isDone = false) {
  const count = number === 0 ? "" : words.number(number);
  return { count, spoken: count === "" && !isDone ? undefined : `${words.t(verb)} ${count}` };
}

function presentPin(words: Translator, url: string, pinned: boolean): ButtonView {
  return pinned
    ? presentButton(words, `${url}/unpin`, "tweet.unpin", true)
    : presentButton(words, `${url}/pin`, "tweet.pin", false);
}

/** A tweet in a list, or quoted by another one. */
export type CardView = ReturnType<typeof presentCard>;

/** `now` in milliseconds. `isFirst`: browsers load its pictures at once. */
export function presentCard(
  words: Translator,
  tweet: Tweet,
  author: User,
  { now, isFirst = false }: { now: number; isFirst?: boolean },
) {
  return {
    url: `/tweets/${tweet.id}`,
    /** The tweet's page, open at the tweet: what a reply answers stands above it. */
    openUrl: tweet.replyTo === undefined ? `/tweets/${tweet.id}` : openUrl(tweet.id),
    author: presentName(author),
    /** Content warning: everything else is folded under it. */
    warning: tweet.warning,
    lang: foreignTo(words, tweet),
    /** Empty for a tweet of pictures alone. */
    parts: presentText(tweet.text, tweet.mentions),
    pictures: presentPictures(words, tweet, isFirst),
    isPoll: tweet.poll !== undefined,
    edited: presentEdited(words, tweet, now),
    /** Whom it is for, in words; undefined for everyone. */
    audience: presentAudience(words, tweet, author),
    ...presentTime(words, tweet.createdAt, now),
  };
}

/** The language of a tweet if the page's is another one. */
export function foreignTo(words: Translator, { language }: Tweet): string | undefined {
  return language === words.language ? undefined : language;
}

/** Time of the last edit; `now` in milliseconds. Undefined if the tweet is as it was posted. */
export function presentEdited(words: Translator, { id, editedAt }: Tweet, now: number) {
  if (editedAt === undefined) return undefined;
  const time = presentTime(words, editedAt, now);
  const sentence = words.t("tweet.editedAt", { time: time.longTime });
  return { ...time, sentence, historyUrl: `/tweets/${id}/history` };
}

/** A tweet on its own page. */
export function openUrl(id: TweetId): string {
  return `/tweets/${id}#tweet-${id}`;
}
