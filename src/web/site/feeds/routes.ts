import type { Request, Response, Router } from "express";
import type { Ctx } from "../../../context.ts";
import { userFeed } from "../../../domain/feeds/feeds.ts";
import type { FeedItem } from "../../../domain/feeds/types.ts";
import { audienceOf } from "../../../domain/tweets/audience.ts";
import type { SiteSettings } from "../../../domain/site/settings.ts";
import { getUserByName, type User } from "../../../domain/users/store.ts";
import { limitVerb } from "../../request/limits.ts";
import { type Author, type Entry, type FeedView, presentFeed } from "./view.ts";
import { sendPublic, siteOrigin } from "../../server/send-public.ts";
import { Feed } from "feed";
import { escapeMarkup } from "../../layout/text.ts";

const formats: Record<string, { type: string; serialize(view: FeedView): string }> = {
  rss: { type: "application/rss+xml", serialize: (view) => xmlFeed(view, "rss").rss2() },
  atom: { type: "application/atom+xml", serialize: (view) => xmlFeed(view, "atom").atom1() },
  json: { type: "application/feed+json", serialize: renderJsonFeed },
};
const freshSeconds = 60;

/**
 * Feeds of a user's newest tweets and retweets, as signed-out readers see them. Comes before sessions:
 * a feed is the same for all readers of a language.
 */
export function feedPages(router: Router, ctx: Ctx): void {
  for (const [ending, { type, serialize }] of Object.entries(formats))
    router.get(`/@:name.${ending}`, limitVerb(ctx, "view"), async (req: Request, res: Response) => {
      const user = await getUserByName(ctx, String(req.params["name"]));
      const { items } = await userFeed(ctx, user.id, { viewer: undefined, only: isListed });
      const { publicWords: words, site } = res.locals;
      const origin = siteOrigin(ctx, req);
      const hub = hubOf(ctx, site, user);
      const view = await presentFeed(ctx, words, origin, { site, user, items, hub });
      if (hub !== undefined) res.links({ hub, self: `${view.url}.${ending}` });
      sendPublic(res, { type, body: serialize(view), seconds: freshSeconds, words });
    });
}

/** Unlisted tweets are in no feed. */
function isListed({ tweet }: FeedItem): boolean {
  return audienceOf(tweet) === "public";
}

/** Only feeds that everyone may read have one. */
function hubOf({ config }: Ctx, { read }: SiteSettings, user: User): string | undefined {
  return read === "public" && !user.protected ? config.websubHub : undefined;
}

const pictureType = "image/webp";

/** JSON Feed 1.1, which the library does not support. */
function renderJsonFeed(view: FeedView): string {
  return JSON.stringify({
    version: "https://jsonfeed.org/version/1.1",
    title: view.title,
    home_page_url: view.url,
    feed_url: `${view.url}.json`,
    description: view.description,
    authors: [view.author],
    hubs: view.hub === undefined ? undefined : [{ type: "WebSub", url: view.hub }],
    items: view.entries.map(
      ({ id, url, title, html, language, attachments, author, at, updated }) => ({
        id,
        url,
        title,
        content_html: html,
        language,
        attachments:
          attachments.length === 0
            ? undefined
            : attachments.map(({ url: file, alt, bytes }) => ({
                url: file,
                mime_type: pictureType,
                title: alt,
                size_in_bytes: bytes,
              })),
        date_published: at.toISOString(),
        date_modified: updated > at ? updated.toISOString() : undefined,
        authors: [author],
      }),
    ),
  });
}

/** RSS 2.0, or Atom 1.0 (RFC 4287). */
function xmlFeed(view: FeedView, format: "rss" | "atom"): Feed {
  const { url, author } = view;
  const feed = new Feed({
    id: url,
    link: url,
    title: keepAmpersands(view.title),
    description: keepAmpersands(view.description),
    author: xmlAuthor(author),
    updated: view.updated,
    generator: "Suzume",
    ...(view.hub === undefined ? {} : { hub: view.hub }),
    feedLinks: { rss: `${url}.rss`, atom: `${url}.atom` },
  });
  for (const entry of view.entries) {
    // Titles and contents are in CDATA, where readers expect HTML.
    const title = escapeMarkup(entry.title);
    feed.addItem({
      id: entry.id,
      link: entry.url,
      title,
      content: entry.html,
      // Both formats have room for one enclosure.
      ...enclosureOf(entry),
      // In Atom `updated`, in RSS the date of publication.
      date: format === "atom" ? entry.updated : entry.at,
      published: entry.at,
      ...(format === "rss"
        ? { description: title, ...creator(entry.author) }
        : { author: [xmlAuthor(entry.author)] }),
    });
  }
  return feed;
}

/** `length` is required: 0 for an old picture, whose size is not known. */
function enclosureOf({ attachments: [first] }: Entry) {
  if (first === undefined) return {};
  return { enclosure: { url: first.url, type: pictureType, length: first.bytes ?? 0 } };
}

function xmlAuthor({ name, url }: Author) {
  return { name: keepAmpersands(name), link: url };
}

/** RSS requires an e-mail address as author; a name belongs in Dublin Core's element. */
function creator({ name }: Author) {
  return { extensions: [{ name: "dc:creator", objects: { _text: keepAmpersands(name) } }] };
}

/** The library mistakes "&amp;" in plain text for an escaped ampersand. */
function keepAmpersands(text: string): string {
  return text.replaceAll("&", "&amp;");
}
