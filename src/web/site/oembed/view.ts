import type { Ctx } from "../../../context.ts";
import type { FeedItem } from "../../../domain/feeds/types.ts";
import type { SiteSettings } from "../../../domain/site/settings.ts";
import { shownFirst } from "../../../domain/tweets/tweet.ts";
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

/** See oembed.com; null if the height depends on the embedding site. */
export type Embed = Readonly<Record<string, string | number | null>>;

/** Pixels; longer lines would be hard to read. */
const widest = 550;
export const embedSeconds = 60 * 60;

/** A tweet to embed in other sites: a quotation, escaped, with links. Undefined if its author is gone. */
export async function presentEmbed(
  ctx: Ctx,
  words: Translator,
  { tweet }: FeedItem,
  { base, site, maxWidth }: { base: string; site: SiteSettings; maxWidth: number },
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
    width: Math.min(widest, maxWidth),
    height: null,
  };
}

export function renderEmbedXml(embed: Embed): string {
  const elements = Object.entries(embed).map(([name, value]) =>
    value === null ? `<${name}/>` : `<${name}>${escapeMarkup(String(value))}</${name}>`,
  );
  return `<?xml version="1.0" encoding="utf-8" standalone="yes"?>\n<oembed>${elements.join("")}</oembed>\n`;
}
