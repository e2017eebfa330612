import { type Request, Router } from "express";
import type { Ctx } from "../../context.ts";
import { searchPeople } from "../../domain/search/find-people.ts";
import { findTweets, parseQuery, queryProblem } from "../../domain/search/find-tweets.ts";
import { textsOf } from "../forms/form.ts";
import { readerOf } from "../middleware/language.ts";
import { limitAct } from "../middleware/limits.ts";
import { presentFoundPeople, presentFoundTweets, type Search } from "../present/search.ts";
import { renderTimeline } from "../render.ts";

/** Public search for tweets and users; filters for signed-in users. */
export function searchPages(ctx: Ctx): Router {
  const router = Router();
  router.get("/search", limitAct(ctx, "searches"), async (req, res) => {
    const reader = readerOf(res);
    const search = readSearch(req, reader.viewer !== undefined);
    if (search.people) {
      const { after } = textsOf(req.query);
      const found = await searchPeople(ctx, reader.viewer, search.typed, after);
      res.render("search/index", await presentFoundPeople(ctx, reader, search, found, after));
    } else {
      const query = parseQuery(search.typed);
      const found = await findTweets(ctx, query, reader, search.whose);
      const view = await presentFoundTweets(ctx, reader, search, found, queryProblem(query));
      renderTimeline(res, "search/index", view);
    }
  });
  return router;
}

function readSearch({ query }: Request, signedIn: boolean): Search {
  const { q = "", in: whose } = textsOf(query);
  return {
    typed: q,
    people: query["people"] !== undefined,
    whose: signedIn && (whose === "mine" || whose === "following") ? whose : undefined,
  };
}
