import { type Request, type Response, Router } from "express";
import type { Ctx } from "../../../context.ts";
import { userFeed } from "../../../domain/feeds/feeds.ts";
import type { FeedItem } from "../../../domain/feeds/types.ts";
import { audienceOf } from "../../../domain/tweets/audience.ts";
import type { SiteSettings } from "../../../domain/site/settings.ts";
import { getUserByName, type User } from "../../../domain/users/store.ts";
import { limitVerb } from "../../request/limits.ts";
import { renderAtom, renderJsonFeed, renderRss } from "./format-view.ts";
import { type FeedView, presentFeed } from "./view.ts";
import { sendPublic, siteOrigin } from "../../server/send-public.ts";

const formats: Record<string, { type: string; serialize(view: FeedView): string }> = {
  rss: { type: "application/rss+xml", serialize: renderRss },
  atom: { type: "application/atom+xml", serialize: renderAtom },
  json: { type: "application/feed+json", serialize: renderJsonFeed },
};
const freshSeconds = 60;

/**
 * Feeds of a user's newest tweets and retweets, as signed-out readers see them. Comes before sessions:
 * a feed is the same for all readers of a language.
 */
export function feedPages(ctx: Ctx): Router {
  const router = Router();
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
  return router;
}

/** Unlisted tweets are in no feed. */
function isListed({ tweet }: FeedItem): boolean {
  return audienceOf(tweet) === "public";
}

/** Only feeds that everyone may read have one. */
function hubOf({ config }: Ctx, { read }: SiteSettings, user: User): string | undefined {
  return read === "public" && !user.protected ? config.websubHub : undefined;
}
