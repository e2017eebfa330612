import { type Request, Router } from "express";
import type { Ctx } from "../../../context.ts";
import { NotFound } from "../../../domain/errors.ts";
import { parseTweetId, type TweetId } from "../../../domain/ids.ts";
import { findFeedItem } from "../../../domain/feeds/thread.ts";
import { type Embed, embedSeconds, presentEmbed, renderEmbedXml } from "./view.ts";
import { sendPublic, siteOrigin } from "../../server/send-public.ts";

const formats = new Map<unknown, { type: string; serialize(embed: Embed): string }>([
  ["json", { type: "application/json", serialize: (embed) => JSON.stringify(embed) }],
  ["xml", { type: "text/xml", serialize: renderEmbedXml }],
]);

/** Tells other sites how to embed a tweet. Fetches nothing: the address is only parsed. */
export function oembedPages(ctx: Ctx): Router {
  const router = Router();
  router.get("/oembed", async (req, res) => {
    const format = formats.get(req.query["format"] ?? "json");
    if (format === undefined) {
      // Status required by the specification.
      res.status(501).type("text").send("This format is not implemented: json and xml are.\n");
      return;
    }
    const base = siteOrigin(ctx, req);
    const { publicWords: words, site } = res.locals;
    const found = await findFeedItem(ctx, undefined, tweetAt(base, req.query["url"]));
    const embed =
      found && (await presentEmbed(ctx, words, found, { base, site, maxWidth: maxWidthOf(req) }));
    if (embed === undefined) throw new NotFound("tweet");
    const { type, serialize } = format;
    sendPublic(res, { type, body: serialize(embed), seconds: embedSeconds, words });
  });
  return router;
}

/** Throws NotFound unless `url` is the address of a tweet of this site. */
function tweetAt(base: string, url: unknown): TweetId {
  if (typeof url !== "string" || !URL.canParse(url)) throw new NotFound("no address");
  const { host, pathname, protocol } = new URL(url);
  const [, id = ""] = /^\/tweets\/(\d+)$/.exec(pathname) ?? [];
  const isHere = /^https?:$/.test(protocol) && host === new URL(base).host;
  const tweet = isHere ? parseTweetId(id) : undefined;
  if (tweet === undefined) throw new NotFound("another address");
  return tweet;
}

function maxWidthOf(req: Request): number {
  const { maxwidth } = req.query;
  return typeof maxwidth === "string" && /^[1-9]\d{0,5}$/.test(maxwidth)
    ? Number(maxwidth)
    : Infinity;
}
