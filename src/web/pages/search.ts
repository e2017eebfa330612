import { type Request, type Response, Router } from "express";
import type { Ctx } from "../../context.ts";
import { searchPeople } from "../../domain/search/find-people.ts";
import { findTweets, parseQuery, queryProblem } from "../../domain/search/find-tweets.ts";
import { readerOf } from "../middleware/language.ts";
import { limitAct } from "../middleware/limits.ts";
import { viewerOf } from "../middleware/session.ts";
import { presentPeople } from "../present/people.ts";
import { presentPaging } from "../present/paging.ts";
import { nothingFound, pathOf, presentSearch, type Search } from "../present/search.ts";
import { presentSide } from "../present/side.ts";
import { presentTimeline } from "../present/timeline.ts";
import { renderTimeline } from "../render.ts";
import { beforeOf } from "./page-cursor.ts";

/** Public search for tweets and users; filters for signed-in users. */
export function searchPages(ctx: Ctx): Router {
  const router = Router();
  router.get("/search", limitAct(ctx, "searches"), async (req, res) => {
    const search = readSearch(req, viewerOf(res) !== undefined);
    if (search.people) await showPeople(ctx, req, res, search);
    else await showTweets(ctx, req, res, search);
  });
  return router;
}

function readSearch({ query }: Request, signedIn: boolean): Search {
  const { q, people, in: whose } = query;
  return {
    typed: typeof q === "string" ? q : "",
    people: people !== undefined,
    whose: signedIn && (whose === "mine" || whose === "following") ? whose : undefined,
  };
}

async function showTweets(ctx: Ctx, req: Request, res: Response, search: Search): Promise<void> {
  const { viewer, words } = readerOf(res);
  const before = beforeOf(req);
  const query = parseQuery(search.typed);
  const found = await findTweets(ctx, query, { viewer, before }, search.whose);
  renderTimeline(res, "search/index", {
    ...presentSearch(readerOf(res), search),
    timeline: await presentTimeline(ctx, readerOf(res), found.items),
    side: await presentSide(ctx, readerOf(res)),
    emptyMessage:
      found.items.length === 0
        ? nothingFound(words, search, queryProblem(query), found)
        : undefined,
    ...presentPaging(words, pathOf(search), found, before === undefined),
  });
}

async function showPeople(ctx: Ctx, req: Request, res: Response, search: Search): Promise<void> {
  const { viewer, words } = readerOf(res);
  const { after } = req.query;
  const start = typeof after === "string" ? after : undefined;
  const { people, next } = await searchPeople(ctx, viewer, search.typed, start);
  const path = pathOf(search);
  const isTyped = search.typed.trim() !== "";
  res.render("search/index", {
    ...presentSearch(readerOf(res), search),
    people: await presentPeople(ctx, readerOf(res), people),
    side: await presentSide(ctx, readerOf(res)),
    emptyMessage: isTyped && people.length === 0 ? words.t("search.noPeople") : undefined,
    older:
      next === undefined
        ? undefined
        : { href: `${path}&after=${encodeURIComponent(next)}`, label: words.t("search.more") },
    newest: start === undefined ? undefined : { href: path, label: words.t("search.first") },
  });
}
