import { type Request, type Response, Router } from "express";
import type { Ctx } from "../../context.ts";
import type { Problems } from "../../domain/errors.ts";
import { globalFeed, homeFeed } from "../../domain/feeds/feeds.ts";
import type { User } from "../../domain/users/store.ts";
import { freshNonce, showComposer } from "../forms/tweets.ts";
import { readerOf, requireReader, wordsOf } from "../middleware/language.ts";
import type { Reader } from "../languages/reader.ts";
import { viewerOf } from "../middleware/session.ts";
import type { SentencePart } from "../present/sentences.ts";
import { presentSide } from "../present/side.ts";
import { presentSuggestionsOrNewest } from "../present/suggestions.ts";
import { presentTimeline } from "../present/timeline.ts";
import { presentPaging } from "../present/paging.ts";
import { renderTimeline } from "../render.ts";
import { beforeOf } from "./page-cursor.ts";

const suggestions = 5;

export function homePages(ctx: Ctx): Router {
  const router = Router();
  router.get("/", async (req, res) => {
    const viewer = viewerOf(res);
    if (viewer === undefined) await showWelcome(ctx, req, res);
    else await showHome(ctx, req, res, viewer, freshNonce());
  });

  return router;
}

async function showWelcome(ctx: Ctx, req: Request, res: Response): Promise<void> {
  const before = beforeOf(req);
  const feed = await globalFeed(ctx, { viewer: viewerOf(res), before });
  renderTimeline(res, "welcome/index", {
    page: {
      title: "Suzume",
      description: wordsOf(res).t("machine.site"),
      path: "/",
    },
    intro: wordsOf(res).pieces<SentencePart>("welcome.intro", {
      sparrow: { text: "雀", lang: "ja" },
    }),
    timeline: await presentTimeline(ctx, readerOf(res), feed.items),
    side: await presentSide(ctx, readerOf(res)),
    ...presentPaging(wordsOf(res), "/", feed, before === undefined),
  });
}

/** Home, with the composer's input and its problems. */
export async function showHome(
  ctx: Ctx,
  req: Request,
  res: Response,
  viewer: User,
  typed: Record<string, string | undefined>,
  problems: Problems = {},
): Promise<void> {
  const before = beforeOf(req);
  const feed = await homeFeed(ctx, viewer, { before });
  const isEmpty = feed.items.length === 0;
  const side = await presentSide(ctx, readerOf(res));
  renderTimeline(res, "home/index", {
    page: { title: `${wordsOf(res).t("nav.home")} · Suzume`, path: "/" },
    composer: showComposer(wordsOf(res), viewer.name, typed, problems),
    timeline: await presentTimeline(ctx, readerOf(res), feed.items),
    // An empty home shows people in the main column.
    side: isEmpty ? { ...side, people: [] } : side,
    // Items after this stamp are new; if nothing is shown, all items are.
    live: before === undefined ? { after: feed.items[0]?.stamp ?? 0 } : undefined,
    empty: isEmpty ? await suggest(ctx, requireReader(res)) : undefined,
    ...presentPaging(wordsOf(res), "/", feed, before === undefined),
  });
}

/** Suggestions for a user whose home is empty. */
async function suggest(ctx: Ctx, reader: Reader & { viewer: User }) {
  return {
    heading: reader.words.t("home.emptyHeading"),
    message: reader.words.t("home.emptyMessage"),
    people: await presentSuggestionsOrNewest(ctx, reader, suggestions),
  };
}
