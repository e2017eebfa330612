import { z } from "zod";
import type { Stamp } from "../ids.ts";
import { Invalid } from "../errors.ts";
import {
  charactersAtMost,
  type ForeignTweet,
  linkNames,
  optionally,
  rowsAtMost,
} from "./archive.ts";
import { jsonItems } from "./json-items.ts";
import type { Source, Zip } from "./zip.ts";

// The archive that X gives to its users, as `data/README.txt` in it describes it. Each file in `data` is a script that
// assigns a list of JSON: `window.YTD.tweets.part0 = [ … ]`.

const tweetFile = /^(?:[^/]+\/)?data\/tweets?(?:-part\d+)?\.js$/;
const noteFile = /^(?:[^/]+\/)?data\/note-tweets?(?:-part\d+)?\.js$/;
const protectionFile = /^(?:[^/]+\/)?data\/protected-history\.js$/;
const head = /^\s*window\.YTD\.\w+\.part\d+\s*=\s*\[/;
/** Max bytes of a file of tweets when it is unpacked. */
const fileBytes = 400 * 1024 * 1024;

const shortLink = /https?:\/\/t\.co\/\w+/g;
const address = z.string().max(2048);
/** Max characters of a text, also with its whole links: several times the longest that X allows. */
const textLength = 100_000;
const words = z.string().max(textLength);
const link = z.object({ url: address, expanded_url: address });
const media = link.extend({
  media_url_https: z.string(),
  type: z.string().catch("photo"),
  ext_alt_text: z.string().catch(""),
});
const tweetShape = z.object({
  id_str: z.string().regex(/^\d{1,20}$/),
  full_text: words,
  created_at: z.string(),
  lang: optionally(z.string()),
  in_reply_to_status_id_str: optionally(z.string()),
  possibly_sensitive: optionally(z.boolean()),
  entities: z
    .object({ urls: z.array(link).catch([]), media: z.array(media).catch([]) })
    .catch({ urls: [], media: [] }),
  extended_entities: z.object({ media: z.array(media) }).catch({ media: [] }),
});
type XTweet = z.output<typeof tweetShape>;

/** The whole of a text that `full_text` cuts off. */
const noteShape = z.object({
  core: z.object({
    text: words,
    urls: z.array(z.object({ shortUrl: address, expandedUrl: address })).catch([]),
  }),
});

const protectionShape = z.object({ protectedAt: z.string(), action: z.string() });

/** Whether a file is `tweets.js` alone. */
export function isXFile({ head: start }: Source): boolean {
  return head.test(start.toString("latin1", 0, 200));
}

export function isXArchive({ names }: Zip): boolean {
  return names.some((name) => tweetFile.test(name));
}

export async function* xTweets(zip: Zip): AsyncGenerator<ForeignTweet | undefined> {
  const notes = new Map<string, { text: string; urls: XTweet["entities"]["urls"] }>();
  let characters = 0;
  for (const name of zip.names.filter((one) => noteFile.test(one)))
    for await (const item of jsonItems(await zip.open(name, fileBytes), head)) {
      const { data } = noteShape.safeParse(Object(item).noteTweet);
      if (data === undefined) continue;
      const { text, urls } = data.core;
      notes.set(beginning(text), {
        text,
        urls: urls.map((one) => ({ url: one.shortUrl, expanded_url: one.expandedUrl })),
      });
      characters += JSON.stringify(data).length;
      if (notes.size > rowsAtMost || characters > charactersAtMost)
        throw new Invalid({ file: "import.large" });
    }
  const audience = (await isProtected(zip)) ? "followers" : undefined;
  for (const name of zip.names.filter((one) => tweetFile.test(one)))
    for await (const item of jsonItems(await zip.open(name, fileBytes), head)) {
      // Archives of former years have no `tweet` around it.
      const { data } = tweetShape.safeParse(Object(item).tweet ?? item);
      const createdAt = data && stampOf(data);
      if (data === undefined || createdAt === undefined) yield undefined;
      else {
        const start = beginning(data.full_text);
        const note = notes.get(start);
        notes.delete(start);
        data.entities.urls.push(...(note?.urls ?? []));
        const full_text = note?.text ?? data.full_text;
        const tweet = toTweet(zip, name, { ...data, full_text }, createdAt);
        yield tweet && { ...tweet, audience };
      }
    }
}

/** Whether only followers see the tweets: the last change of that says so. */
async function isProtected(zip: Zip): Promise<boolean> {
  let last = { protectedAt: "", action: "" };
  for (const name of zip.names.filter((one) => protectionFile.test(one)))
    for await (const item of jsonItems(await zip.open(name, fileBytes), head)) {
      const { data } = protectionShape.safeParse(Object(item).protectedHistory);
      if (data !== undefined && data.protectedAt >= last.protectedAt) last = data;
    }
  return last.action === "Protect";
}

/** A note has no id of its tweet. */
function beginning(text: string): string {
  return unescaped(text).slice(0, 100);
}

function toTweet(
  zip: Zip,
  file: string,
  tweet: XTweet,
  createdAt: Stamp,
): ForeignTweet | undefined {
  const { id_str: id, full_text: raw, lang, entities, extended_entities: extended } = tweet;
  if (/^RT @\w{1,20}: /.test(raw)) return { id, createdAt, text: "", leftOut: "retweet" };
  const shown = extended.media.length > 0 ? extended.media : entities.media;
  const folder = file.replace(/\.js$|-part\d+\.js$/, "_media");
  const named = shown.map(({ media_url_https: origin, ext_alt_text: description, ...item }) => {
    const name = `${folder}/${id}-${origin.replace(/^.*\//s, "")}`;
    const isHere = item.type === "photo" && zip.picture(name) !== undefined;
    return { ...item, file: name, description, isHere };
  });
  // What is no picture, or not in the archive, stays there.
  const away = named.find(({ isHere }) => !isHere);
  const links = new Map([
    ...entities.urls.map((one) => [one.url, one.expanded_url] as const),
    ...named.map(({ url }) => [url, away?.expanded_url ?? ""] as const),
  ]);
  let room = textLength - raw.length;
  const whole = unescaped(raw)
    .replaceAll(shortLink, (short) => {
      const long = links.get(short) ?? short;
      room -= long.length - short.length;
      return room < 0 ? "" : long;
    })
    // A dot before a name made a tweet to a person one for all followers.
    .replaceAll(/(?<!\S)\.(?=@\w)/g, ". ");
  if (room < 0) return undefined;
  return {
    id,
    createdAt,
    text: linkNames(whole, (name) => `https://x.com/${name}`),
    language: lang === undefined || /^(?:und|zxx|art|q..)$/.test(lang) ? undefined : lang,
    replyTo: tweet.in_reply_to_status_id_str,
    sensitive: tweet.possibly_sensitive,
    pictures: named.filter(({ isHere }) => isHere),
  };
}

function unescaped(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

/** Milliseconds since 1970 at which ids begin to tell the time. */
const epoch = 1_288_834_974_657;

/** To the millisecond, if the id tells it: dates are cut to seconds. */
function stampOf({ id_str: id, created_at: date }: XTweet): Stamp | undefined {
  const second = Date.parse(date);
  if (Number.isNaN(second) || second <= 0) return undefined;
  const moment = Number(BigInt(id) >> 22n) + epoch;
  return (Math.abs(moment - second) < 2000 ? moment : second) * 1000;
}
