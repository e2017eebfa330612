import type { Request, RequestHandler, Router } from "express";
import type { Ctx } from "../../../context.ts";
import { required } from "../../../domain/errors.ts";
import { followTag, isFollowedBy, unfollowTag } from "../../../domain/graph/follows.ts";
import {
  completeName,
  completeTag,
  findPeople,
  searchPeople,
} from "../../../domain/search/find-people.ts";
import {
  findTweets,
  isEmptyQuery,
  parseQuery,
  type Query,
  tagFeed,
} from "../../../domain/search/find-tweets.ts";
import { tallies } from "../../../domain/tallies.ts";
import { foldTag, shortenMentions } from "../../../domain/tweets/text.ts";
import { nextOf, textsOf } from "../../layout/form.ts";
import { presentTweetList } from "../../layout/paging.ts";
import { presentName } from "../../layout/people.ts";
import { readerOf, requireViewer } from "../../request/reader.ts";
import { limitVerb } from "../../request/limits.ts";
import { renderFeed, renderTimeline } from "../../server/render.ts";
import {
  peopleAbove,
  presentFollowTag,
  presentFoundPeople,
  presentFoundTweets,
  type Search,
  tagUrl,
} from "./view.ts";

/** Public search for tweets and users; filters for signed-in users. Completions for the script. */
export function searchPages(router: Router, ctx: Ctx): void {
  router.get("/search", limitVerb(ctx, "search"), async (req, res) => {
    const reader = readerOf(res);
    const search = readSearch(req, reader.viewer !== undefined);
    tallies.searches.inc({ kind: search.people ? "people" : "tweets" });
    if (search.people) {
      const { after } = textsOf(req.query);
      const results = await searchPeople(ctx, reader.viewer, search.typed, after);
      res.render("search/index", await presentFoundPeople(ctx, reader, search, results, after));
    } else {
      const query = parseQuery(shortenMentions(ctx, search.typed));
      const isFirst = reader.before === undefined && search.whose === undefined;
      const part = { offset: 0, limit: peopleAbove + 1, following: false };
      const [page, people] = await Promise.all([
        findTweets(ctx, query, reader, search.whose),
        isFirst && mayBeName(query) ? findPeople(ctx, reader.viewer, search.typed, part) : [],
      ]);
      const results = { page, people, isEmpty: isEmptyQuery(query) };
      const view = await presentFoundTweets(ctx, reader, search, results);
      await renderTimeline(res, "search/index", view);
    }
  });

  router.get("/search/completions", limitVerb(ctx, "complete"), async (req, res) => {
    const { q = "" } = textsOf(req.query);
    const { viewer } = readerOf(res);
    const [, sign, typed = ""] = /^([@＠#＃])(.{1,50})$/u.exec(q) ?? [];
    const isTag = sign === "#" || sign === "＃";
    const people = sign === undefined || isTag ? [] : await completeName(ctx, viewer, typed);
    const tags = isTag ? await completeTag(ctx, typed) : [];
    // What is written in the field: "@ann" or "#birds".
    const completions = [
      ...people.map((user) => ({ text: `@${user.name}`, person: presentName(user) })),
      ...tags.map(({ tag }) => ({ text: `#${tag}`, person: undefined })),
    ];
    res.render("search/completions", { completions });
  });

  // The newest tweets of a hashtag, which users can follow.
  router.get("/tags/:tag", async (req, res) => {
    const tag = tagIn(req);
    await renderFeed(res, "tags/show", readerOf(res), async (reader) => {
      const feed = await tagFeed(ctx, tag, reader);
      const empty = reader.before === undefined ? "tag.empty" : "tag.emptyOlder";
      const list = await presentTweetList(ctx, reader, tagUrl(tag), feed, empty);
      const isFollowed = (await isFollowedBy(ctx, reader.viewer?.id))(tag);
      const follow = presentFollowTag(reader.words, tag, isFollowed);
      return { title: `#${tag}`, tag, follow, ...list };
    });
  });
  const press =
    (run: typeof followTag): RequestHandler =>
    async (req, res) => {
      const tag = tagIn(req);
      await run(ctx, requireViewer(res).id, tag);
      res.redirect(303, nextOf(req) ?? tagUrl(tag));
    };
  router.post("/tags/:tag/follow", limitVerb(ctx, "follow"), press(followTag));
  router.post("/tags/:tag/unfollow", press(unfollowTag));
}

/** Whether a query may be a name. */
function mayBeName({ words, runs, phrases, tags, from }: Query): boolean {
  return words.length + runs.length > 0 && phrases.length + tags.length + from.length === 0;
}

function readSearch({ query }: Request, signedIn: boolean): Search {
  const { q = "", in: whose } = textsOf(query);
  return {
    typed: q,
    people: query["people"] !== undefined,
    whose: signedIn && (whose === "mine" || whose === "following") ? whose : undefined,
  };
}

/** Throws NotFound. */
function tagIn(req: Request): string {
  return required(foldTag(String(req.params["tag"])), "tag");
}
