import type { Ctx } from "../../../context.ts";
import { type UserId, type Stamp, stampToDate } from "../../../domain/ids.ts";
import type { FeedItem } from "../../../domain/feeds/types.ts";
import type { SiteSettings } from "../../../domain/site/settings.ts";
import { openPictures, shownFirst, type Tweet } from "../../../domain/tweets/tweet.ts";
import { findUsers, type User } from "../../../domain/users/store.ts";
import type { Translator } from "../../languages/translator.ts";
import {
  clip,
  escapeMarkup,
  fitXml,
  langOf,
  markUp,
  presentShownFirst,
} from "../../layout/text.ts";
import { pictureUrl } from "../../layout/pictures.ts";
import { presentMoment } from "../../layout/time.ts";

/** A user's tweets, ready for any feed format. All addresses are absolute. */
export type FeedView = Awaited<ReturnType<typeof presentFeed>>;
export type Entry = FeedView["entries"][number];
export type Author = Entry["author"];

/** Max characters of a title. */
const titleLimit = 100;

interface FeedOptions {
  site: SiteSettings;
  user: User;
  items: FeedItem[];
  /** Address of the hub that tells of new entries. */
  hub: string | undefined;
}

/** `base` is the origin of the site. Leaves out entries of deleted authors. */
export async function presentFeed(
  ctx: Ctx,
  words: Translator,
  base: string,
  { site, user, items, hub }: FeedOptions,
) {
  const people = await findUsers(
    ctx,
    items.flatMap(({ tweet, quote }) => (quote ? [tweet.author, quote.author] : [tweet.author])),
  );
  return {
    title: `${fitXml(user.fullname)} (@${user.name})`,
    description:
      fitXml(user.bio) || words.t("feed.description", { name: user.name, site: fitXml(site.name) }),
    url: `${base}/@${user.name}`,
    hub,
    author: presentAuthor(user, base),
    updated: stampToDate(Math.max(items[0]?.stamp ?? user.createdAt, ...items.map(changedAt))),
    entries: items.flatMap((item) => presentEntry(words, item, people, base) ?? []),
  };
}

function changedAt({ tweet, stamp }: FeedItem): Stamp {
  return Math.max(stamp, tweet.editedAt ?? 0);
}

function presentAuthor({ name, fullname }: User, base: string) {
  return { name: `${fitXml(fullname)} (@${name})`, url: `${base}/@${name}` };
}

function presentEntry(
  words: Translator,
  item: FeedItem,
  people: ReadonlyMap<UserId, User>,
  base: string,
) {
  const { tweet, retweet, quote, stamp } = item;
  const author = people.get(tweet.author);
  if (author === undefined) return undefined;
  const text =
    clip(fitXml(shownFirst(tweet)), titleLimit) || words.t("feed.tweet", { name: author.name });
  const card = tweet.warning === undefined ? presentQuote(words, quote, people, base) : "";
  const tweetHtml = `${paragraph(words, tweet, base)}${card}`;
  return {
    /** Address of the listed item, which never changes. */
    id: `${base}/tweets/${(retweet ?? tweet).id}`,
    /** Address of the tweet itself; differs from `id` for a retweet. */
    url: `${base}/tweets/${tweet.id}`,
    /** Plain text. */
    title: retweet === undefined ? text : words.t("feed.retweet", { name: author.name, text }),
    html:
      retweet === undefined
        ? tweetHtml
        : `${retweetByline(words, author, base)}<blockquote>${tweetHtml}</blockquote>`,
    language: tweet.language,
    attachments: picturesOf(tweet, base),
    author: presentAuthor(author, base),
    at: stampToDate(stamp),
    updated: stampToDate(changedAt(item)),
  };
}

function retweetByline(words: Translator, author: User, base: string): string {
  const pieces = words.pieces("feed.retweetByline", { person: author });
  const html = pieces.map((piece) =>
    typeof piece === "string" ? escapeMarkup(piece) : link(piece, base),
  );
  return `<p>${html.join("")}</p>`;
}

function link({ name }: User, base: string): string {
  return `<a href="${base}/@${name}">@${name}</a>`;
}

function paragraph(words: Translator, tweet: Tweet, base: string): string {
  const { editedAt } = tweet;
  const parts = presentShownFirst(tweet);
  const textHtml = parts.length === 0 ? "" : `<p${langOf(tweet)}>${markUp(parts, base)}</p>`;
  const mark = editedAt === undefined ? "" : `<p><small>${editedOn(words, editedAt)}</small></p>`;
  return textHtml + choicesOf(tweet) + picturesOf(tweet, base).map(image).join("") + mark;
}

/** The choices of a poll, which is voted for on its page. */
function choicesOf({ poll, warning }: Tweet): string {
  if (poll === undefined || warning !== undefined) return "";
  const items = poll.choices.map((choice) => `<li>${escapeMarkup(fitXml(choice))}</li>`);
  return `<ul>${items.join("")}</ul>`;
}

function editedOn(words: Translator, editedAt: Stamp): string {
  return escapeMarkup(words.t("tweet.editedAt", { time: presentMoment(words, editedAt).text }));
}

/** Readers of feeds have no covers, so pictures behind one are left out. */
function picturesOf(tweet: Tweet, base: string) {
  return openPictures(tweet).map(({ large: { file, width, height, bytes }, description }) => ({
    url: `${base}${pictureUrl(file)}`,
    alt: fitXml(description),
    width,
    height,
    bytes,
  }));
}

function image({ url, alt, width, height }: Entry["attachments"][number]): string {
  return `<p><img src="${url}" alt="${escapeMarkup(alt)}" width="${width}" height="${height}"></p>`;
}

function presentQuote(
  words: Translator,
  quote: Tweet | undefined,
  people: ReadonlyMap<UserId, User>,
  base: string,
): string {
  const author = quote && people.get(quote.author);
  if (quote === undefined || author === undefined) return "";
  const byline = `<p>${link(author, base)}:</p>`;
  return `<blockquote>${byline}${paragraph(words, quote, base)}</blockquote>`;
}
