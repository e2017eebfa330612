import { isOpen, mayRead } from "./rule.ts";
import type { Marked } from "./marked-posts.ts";
import type { MarkedSite } from "./marked-site.ts";
import type { Reader } from "./readers.ts";

/** A mark in a text, and the post that it betrays. */
interface Betrayal {
  mark: string;
  post: Marked;
}

/** Words of posts; then ids as pages and the API have them, and stamps; names of pictures. */
const marks =
  /hush(\d+)[a-z]|(?:\/tweets\/|tweet-|data-tweet-id=")(\d+)|\b(\d{15,19})\b|\b(\d+-[0-9a-f]{24})-/g;

/** Finds the marks of posts in what a reader was sent. */
export class Marks {
  readonly #site: MarkedSite;
  #size = 0;
  readonly #byId = new Map<string, Marked>();

  constructor(site: MarkedSite) {
    this.#site = site;
  }

  /** `sent`: what the reader sent, which may come back. */
  in(text: string, sent = ""): Betrayal[] {
    this.#index();
    const told = new Set(sent.match(/\d+/g));
    const found = new Map<string, Betrayal>();
    for (const [mark, word, id, status, upload] of text.matchAll(marks)) {
      if (found.has(mark) || sent.includes(mark) || told.has(id ?? status ?? "")) continue;
      const post =
        word === undefined
          ? this.#byId.get(id === undefined ? (status ?? upload ?? "") : `/${id}`)
          : this.#site.byMark.get(Number(word));
      // Whoever writes a link into a text tells the id.
      const isLinked = id !== undefined && post?.isLinked === true;
      if (post !== undefined && !isLinked) found.set(mark, { mark, post });
    }
    return [...found.values()];
  }

  #index(): void {
    const { posts } = this.#site;
    for (const post of posts.slice(this.#size)) {
      this.#byId.set(`/${post.id}`, post);
      this.#byId.set(post.status, post);
      // Lists of those who retweeted are ordered by the time of the retweet.
      if (post.repeats === undefined) this.#byId.set(post.stamp, post);
      for (const file of post.files) this.#byId.set(file.slice(0, file.lastIndexOf("-")), post);
    }
    this.#size = posts.length;
  }
}

/** Says who got what, for the report of a test that fails. */
export function leak(reader: Reader, where: string, { mark, post }: Betrayal): string {
  const protects = post.author.protects ? ", protected" : "";
  const kind = post.repeats === undefined ? post.audience : "retweet";
  return `${reader.name} gets ${mark} (${kind} by ${post.author.name}${protects}) from ${where}`;
}

/** Lists for strangers, where an unlisted tweet has no place. */
const listings =
  /^\/(explore|tags\/|search|sitemap|@\w+\.(rss|atom|json)|api\/v1\/timelines\/(public|tag)|api\/v2\/search|api\/v1\/trends|api\/v1\/streaming\/(public|hashtag))/;

/** What is made for all, without a look at who reads it; a blocked reader may sign out to read it, too. */
const forAll = /^\/(@\w+\.(rss|atom|json)|oembed|sitemap|pictures\/)/;

/** Whether a reader wrote a post, or it was sent to them. */
export function isAmong({ who }: Reader, { author, people }: Marked): boolean {
  return who !== undefined && (who === author || people.has(who));
}

const isId = (mark: string) => /^\d{15}|^\D*\d+$/.test(mark);

/**
 * Whether a mark is the id of an open post. An answer names what it answers, also if that is deleted, its author is
 * suspended, or one of the two has blocked the other: its words are gone.
 */
export function isOpenId({ mark, post }: Betrayal): boolean {
  return isId(mark) && isOpen({ ...post, gone: false });
}

/** Whether a post has its place in an answer to a reader. */
export function isAllowed(reader: Reader, path: string, betrayal: Betrayal): boolean {
  if (isOpenId(betrayal)) return true;
  const { post, mark } = betrayal;
  // The answers to a deleted tweet name it to those who might read it.
  const isAnswered = post.gone && post.answerers.size > 0;
  if (isId(mark) && isAnswered && mayRead(reader.who, { ...post, gone: false })) return true;
  // Users know what they answered: the export of their own tweets says so.
  const answered = reader.who !== undefined && post.answerers.has(reader.who);
  if (isId(mark) && answered && path.startsWith("/settings/data/export")) return true;
  // A hashtag in use is a word.
  const isPlain = forAll.test(path) || /^hush\d+h$/.test(mark) || isId(mark);
  if (isPlain && mayRead(undefined, post)) return true;
  // A job takes the hashtags of a deleted tweet out of the trends.
  if (post.gone && /^hush\d+h$/.test(mark)) return true;
  // People of a conversation find it at the time of its newest message, also if that is gone.
  if (mark === post.stamp && isAmong(reader, post)) return true;
  // Readers know their own retweets.
  if (post.repeats !== undefined && post.author === reader.who && !post.gone) return true;
  // Moderators see a hidden tweet where reports are handled.
  const isReported =
    post.isReported && path.startsWith("/admin/") && reader.who?.moderates === true;
  // Sitemaps are made once an hour, of addresses alone.
  if (path.startsWith("/sitemap") && post.wasOpen && !mark.startsWith("hush")) return true;
  if (!mayRead(reader.who, post)) return isReported && !post.gone;
  // Searching for an address asks for what is known.
  const isKnown = post.isQuoted || /q=http/.test(path) || !mark.startsWith("hush");
  const isListed = listings.test(path) && !isKnown;
  return !isListed || post.audience !== "unlisted" || post.author === reader.who;
}
