import { archiveOf } from "./account-files.ts";

// Writes archives as X gives them to its users: see `data/README.txt` in one of them.

/** A tweet of an archive; `text` as X stores it, without escapes. */
export interface XTweetInput {
  id: string;
  text: string;
  at: string;
  replyTo?: string;
  mentions?: string[];
  /** From the short to the whole address. */
  links?: Record<string, string>;
  media?: { name: string; short: string; type?: string; description?: string }[];
  sensitive?: boolean;
  language?: string;
}

const escaped = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** "Wed Nov 25 21:04:05 +0000 2020" */
function dateOf(at: string): string {
  const [, day, date, month, year, time] =
    /^(\w+), (\d+) (\w+) (\d+) ([\d:]+)/.exec(new Date(at).toUTCString()) ?? [];
  return `${day} ${month} ${date} ${time} +0000 ${year}`;
}

export function xTweet(input: XTweetInput) {
  const { id, text, at, replyTo, mentions = [], links = {}, media = [], sensitive = false } = input;
  const shown = media.map(({ name, short, type = "photo", description }) => ({
    expanded_url: `https://x.com/owner/status/${id}/${type}/1`,
    indices: ["0", "23"],
    url: short,
    media_url: `http://pbs.twimg.com/media/${name}`,
    id_str: "1",
    id: "1",
    media_url_https: `https://pbs.twimg.com/media/${name}`,
    sizes: { small: { w: "680", h: "453", resize: "fit" } },
    type,
    display_url: "pic.x.com/1",
    ext_alt_text: description,
  }));
  return {
    tweet: {
      edit_info: { initial: { editTweetIds: [id], editableUntil: at, editsRemaining: "5" } },
      retweeted: false,
      source: '<a href="https://mobile.x.com" rel="nofollow">X Web App</a>',
      entities: {
        hashtags: [],
        symbols: [],
        user_mentions: mentions.map((name) => ({
          name: name.toUpperCase(),
          screen_name: name,
          indices: ["0", String(name.length + 1)],
          id_str: "7",
          id: "7",
        })),
        urls: Object.entries(links).map(([url, expanded_url]) => ({
          url,
          expanded_url,
          display_url: expanded_url.slice(8, 30),
          indices: ["0", "23"],
        })),
        ...(shown.length > 0 ? { media: shown.slice(0, 1) } : {}),
      },
      display_text_range: ["0", String(text.length)],
      favorite_count: "3",
      id_str: id,
      ...(replyTo === undefined
        ? {}
        : { in_reply_to_status_id_str: replyTo, in_reply_to_status_id: replyTo }),
      truncated: false,
      retweet_count: "0",
      id,
      possibly_sensitive: sensitive,
      created_at: dateOf(at),
      favorited: false,
      full_text: escaped(text),
      lang: input.language ?? "en",
      ...(shown.length > 0 ? { extended_entities: { media: shown } } : {}),
    },
  };
}

/** A file of `data`, as `tweets` or `note_tweet`. */
export function xFile(name: string, items: readonly unknown[]): Buffer {
  return Buffer.from(`window.YTD.${name}.part0 = ${JSON.stringify(items, undefined, 2)}`);
}

/** A long text, which its tweet has only the beginning of. */
export function xNote(text: string, at: string) {
  const core = { styletags: [], urls: [], text, mentions: [], cashtags: [], hashtags: [] };
  return { noteTweet: { noteTweetId: "5", updatedAt: at, createdAt: at, core } };
}

/** The ZIP, with what imports do not read, too. */
export async function xArchive(
  tweets: readonly XTweetInput[],
  { pictures = {}, notes = [] }: { pictures?: Record<string, Buffer>; notes?: unknown[] } = {},
): Promise<Buffer> {
  const files = Object.entries(pictures).map(([name, bytes]) => [
    `data/tweets_media/${name}`,
    bytes,
  ]);
  return await archiveOf({
    "Your archive.html": Buffer.from("<!doctype html>"),
    "data/account.js": xFile("account", [{ account: { username: "owner", accountId: "1" } }]),
    "data/like.js": xFile("like", [{ like: { tweetId: "9", fullText: "x" } }]),
    "data/note-tweet.js": xFile("note_tweet", notes),
    "data/tweets.js": xFile("tweets", tweets.map(xTweet)),
    ...(Object.fromEntries(files) as Record<string, Buffer>),
  });
}
