import type { Request, Router } from "express";
import type { Ctx } from "../../../context.ts";
import { NotFound, required } from "../../../domain/errors.ts";
import { getFeedItem } from "../../../domain/feeds/thread.ts";
import { parseTweetId, type TweetId } from "../../../domain/ids.ts";
import type { SiteSettings } from "../../../domain/site/settings.ts";
import { shownFirst, type Tweet } from "../../../domain/tweets/tweet.ts";
import { findUser } from "../../../domain/users/store.ts";
import type { Translator } from "../../languages/translator.ts";
import {
  clip,
  escapeMarkup,
  fitXml,
  langOf,
  markUp,
  presentShownFirst,
} from "../../layout/text.ts";
import { presentTime } from "../../layout/time.ts";
import { presentEdited } from "../../layout/tweet.ts";
import { sendPublic, siteOrigin } from "../../server/send-public.ts";

/** See oembed.com; null if the height depends on the embedding site. */
type Embed = Readonly<Record<string, string | number | null>>;

const formats = new Map<unknown, { type: string; serialize(embed: Embed): string }>([
  ["json", { type: "application/json", serialize: (embed) => JSON.stringify(embed) }],
  ["xml", { type: "text/xml", serialize: renderXml }],
]);

/** Pixels; longer lines would be hard to read. */
const widest = 550;
/** Seconds in caches and on other sites, as of pictures: the tweet may be narrowed. */
const embedSeconds = 600;

/** Tells other sites how to embed a tweet. Fetches nothing: the address is only parsed. */
export function oembedPages(router: Router, ctx: Ctx): void {
  router.get("/oembed", async (req, res) => {
    const format = formats.get(req.query["format"] ?? "json");
    if (format === undefined) {
      // Status required by the specification.
      res.status(501).type("text").send("This format is not implemented: json and xml are.\n");
      return;
    }
    const base = siteOrigin(ctx, req);
    const { publicWords: words, site } = res.locals;
    const { tweet } = await getFeedItem(ctx, undefined, tweetAt(base, req.query["url"]));
    const embed = required(await presentEmbed(ctx, words, tweet, { base, site }), "tweet");
    const { type, serialize } = format;
    const body = serialize({ ...embed, width: Math.min(widest, maxWidthOf(req)), height: null });
    sendPublic(res, { type, body, seconds: embedSeconds, words });
  });
}

/** Throws NotFound unless `url` is the address of a tweet of this site. */
function tweetAt(base: string, url: unknown): TweetId {
  if (typeof url !== "string" || !URL.canParse(url)) throw new NotFound("no address");
  const { host, pathname, protocol } = new URL(url);
  const [, id = ""] = /^\/tweets\/(\d+)$/.exec(pathname) ?? [];
  const isHere = /^https?:$/.test(protocol) && host === new URL(base).host;
  return required(isHere ? parseTweetId(id) : undefined, "another address");
}

function maxWidthOf({ query: { maxwidth } }: Request): number {
  const isNumber = typeof maxwidth === "string" && /^[1-9]\d{0,5}$/.test(maxwidth);
  return isNumber ? Number(maxwidth) : Infinity;
}

/** A tweet to embed in other sites: a quotation, escaped, with links. Undefined if its author is gone. */
async function presentEmbed(
  ctx: Ctx,
  words: Translator,
  tweet: Tweet,
  { base, site }: { base: string; site: SiteSettings },
): Promise<Embed | undefined> {
  const author = await findUser(ctx, tweet.author);
  if (author === undefined) return undefined;
  const fullname = fitXml(author.fullname);
  const url = `${base}/tweets/${tweet.id}`;
  const text = `<p dir="auto"${langOf(tweet)}>${markUp(presentShownFirst(tweet), base)}</p>`;
  const byline = `— <bdi>${escapeMarkup(fullname)}</bdi> (@${author.name})`;
  const { longTime } = presentTime(words, tweet.createdAt, ctx.now());
  const edited = presentEdited(words, tweet, ctx.now());
  const when = edited === undefined ? longTime : `${longTime} (${edited.sentence})`;
  return {
    version: "1.0",
    type: "rich",
    title: `${fullname} (@${author.name}): ${clip(fitXml(shownFirst(tweet)), 100)}`,
    url,
    author_name: fullname,
    author_url: `${base}/@${author.name}`,
    provider_name: fitXml(site.name),
    provider_url: base,
    cache_age: embedSeconds,
    html: `<blockquote cite="${url}">${text}${byline} <a href="${url}">${when}</a></blockquote>`,
  };
}

function renderXml(embed: Embed): string {
  const elements = Object.entries(embed).map(([name, value]) =>
    value === null ? `<${name}/>` : `<${name}>${escapeMarkup(String(value))}</${name}>`,
  );
  return `<?xml version="1.0" encoding="utf-8" standalone="yes"?>\n<oembed>${elements.join("")}</oembed>\n`;
}
