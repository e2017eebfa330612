import { Router } from "express";
import type { Ctx } from "../../context.ts";
import { trendingTags } from "../../domain/search/trending.ts";
import { globalFeed } from "../../domain/feeds/feeds.ts";
import { visiblePeople } from "../../domain/graph/relations.ts";
import { newestUsers } from "../../domain/users/store.ts";
import { readerOf, wordsOf } from "../middleware/language.ts";
import { viewerOf } from "../middleware/session.ts";
import { presentPeople } from "../present/people.ts";
import { presentTrends } from "../present/search.ts";
import { presentSuggestions } from "../present/suggestions.ts";
import { presentTimeline } from "../present/timeline.ts";
import { presentPaging } from "../present/paging.ts";
import { renderTimeline } from "../render.ts";
import { beforeOf } from "./page-cursor.ts";

const peopleShown = 20;
const suggestionsShown = 5;

/** Public page with the newest tweets and the newest users. */
export function explorePages(ctx: Ctx): Router {
  const router = Router();
  router.get("/explore", async (req, res) => {
    const viewer = viewerOf(res);
    const before = beforeOf(req);
    const isFirst = before === undefined;
    const feed = await globalFeed(ctx, { viewer, before });
    const suggested = isFirst ? await presentSuggestions(ctx, readerOf(res), suggestionsShown) : [];
    const newest = isFirst ? await newestUsers(ctx, peopleShown) : [];
    const people = await visiblePeople(ctx, viewer, newest);
    const trends = isFirst ? await trendingTags(ctx) : [];
    renderTimeline(res, "explore/index", {
      page: { title: `${wordsOf(res).t("nav.explore")} · Suzume`, path: "/explore" },
      timeline: await presentTimeline(ctx, readerOf(res), feed.items),
      trends: presentTrends(wordsOf(res), trends),
      suggested,
      people: await presentPeople(
        ctx,
        readerOf(res),
        people.filter(({ id }) => suggested.every((one) => one.id !== id)),
      ),
      emptyMessage: feed.items.length === 0 ? wordsOf(res).t("explore.empty") : undefined,
      ...presentPaging(wordsOf(res), "/explore", feed, isFirst),
    });
  });
  return router;
}
