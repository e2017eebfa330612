import { type Request, Router } from "express";
import { z } from "zod";
import type { Ctx } from "../../context.ts";
import { Unauthenticated } from "../../domain/errors.ts";
import { parseTweetId, parseUserId } from "../../domain/ids.ts";
import { isTagUsed } from "../../domain/search/index.ts";
import { trendingTags } from "../../domain/search/trending.ts";
import { foldTag } from "../../domain/tweets/entities.ts";
import { findTweets } from "../../domain/search/find-tweets.ts";
import { parseQuery } from "../../domain/search/query.ts";
import type { FeedItem } from "../../domain/feeds/types.ts";
import { findFeedItem } from "../../domain/feeds/thread.ts";
import { seenAmong } from "../../domain/graph/visibility.ts";
import { foldName } from "../../domain/users/names.ts";
import { findUser, type User } from "../../domain/users/store.ts";
import { limitAct } from "../middleware/limits.ts";
import { siteOrigin } from "../send-public.ts";
import { peopleCalled } from "./accounts.ts";
import { optionalScope } from "./bearer.ts";
import { presentAccounts } from "./entities/account.ts";
import { presentStatuses } from "./entities/status.ts";
import { tagEntity } from "./entities/tag.ts";
import { count, flag, readInput, text } from "./input.ts";
import { limited, pagingOf, statusLimits } from "./paging.ts";
import { findByAcct, nameIn } from "./account-param.ts";
import { sendJson } from "./send.ts";

const kind = z.preprocess(
  (value) => (value === "" ? undefined : value),
  z.enum(["accounts", "hashtags", "statuses"]).optional(),
);
const form = z.object({
  q: z.string(),
  type: kind,
  limit: limited(statusLimits),
  offset: count,
  following: flag,
  account_id: text,
});

/** What is looked for, by whom and where. */
interface Search extends z.output<typeof form> {
  viewer: User | undefined;
  site: string;
}

interface Results {
  people: User[];
  items: FeedItem[];
  tags: string[];
}

/** As one goes on, everything above is found anew: so far and no further. */
const furthest = 400;

export function searchApi(ctx: Ctx): Router {
  const router = Router();

  router.get("/api/v2/search", limitAct(ctx, "searches"), async (req, res) => {
    const viewer = optionalScope(res, "read:search");
    const site = siteOrigin(ctx, req);
    const search = { ...readInput(form, req.query), viewer, site };
    if (viewer === undefined && (search.offset ?? 0) > 0) throw new Unauthenticated("no user");
    const results = await find(ctx, req, search);
    const [accounts, statuses] = await Promise.all([
      presentAccounts(ctx, site, results.people),
      presentStatuses(ctx, viewer, results.items, site),
    ]);
    const hashtags = JSON.stringify(results.tags.map((tag) => tagEntity(site, tag)));
    sendJson(
      res,
      `{"accounts":[${accounts.join(",")}],"statuses":[${statuses.join(",")}],"hashtags":${hashtags}}`,
    );
  });

  return router;
}

async function find(ctx: Ctx, req: Request, search: Search): Promise<Results> {
  const { q, type, offset = 0 } = search;
  if (q.trim() === "" || offset > furthest) return { people: [], items: [], tags: [] };
  const named = await findByAddress(ctx, search);
  if (named !== undefined) return onlyOf(type, named);
  const isWanted = (one: typeof type) => type === undefined || type === one;
  const [people, items, tags] = await Promise.all([
    isWanted("accounts") ? peopleFor(ctx, search) : [],
    isWanted("statuses") ? tweetsFor(ctx, req, search) : [],
    isWanted("hashtags") ? tagsFor(ctx, search) : [],
  ]);
  return { people, items, tags };
}

/** What an address of this site leads to, as apps open links by it; undefined for any other text. */
async function findByAddress(ctx: Ctx, { q, site, viewer }: Search): Promise<Results | undefined> {
  const typed = q.trim();
  if (!/^https?:/i.test(typed) || !URL.canParse(typed)) return undefined;
  const { origin, pathname } = new URL(typed);
  if (origin !== site) return undefined;
  const [, name, tweet = ""] = /^\/(?:@(\w+)|tweets\/(\d+))\/?$/.exec(pathname) ?? [];
  const user = name === undefined ? undefined : await findByAcct(ctx, name, site);
  const id = parseTweetId(tweet);
  const item = id && (await findFeedItem(ctx, viewer, id));
  const people = await seenAmong(ctx, viewer, user === undefined ? [] : [user]);
  return { people, items: item === undefined ? [] : [item], tags: [] };
}

function onlyOf(type: Search["type"], { people, items, tags }: Results): Results {
  return {
    people: type === undefined || type === "accounts" ? people : [],
    items: type === undefined || type === "statuses" ? items : [],
    tags,
  };
}

async function peopleFor(
  ctx: Ctx,
  { q, site, viewer, limit, offset = 0, following = false }: Search,
): Promise<User[]> {
  if (/^\s*[#＃]/.test(q)) return [];
  return await peopleCalled(ctx, viewer, nameIn(q, site) ?? q, { limit, offset, following });
}

async function tweetsFor(
  ctx: Ctx,
  req: Request,
  { q, viewer, limit, offset = 0, account_id: account }: Search,
): Promise<FeedItem[]> {
  const query = parseQuery(q);
  if (account !== undefined) {
    const id = parseUserId(account);
    const author = id && (await findUser(ctx, id));
    if (author === undefined) return [];
    query.from.push(foldName(author.name));
  }
  const paging = pagingOf(req);
  const view = { ...paging, viewer, limit: offset + limit };
  return (await findTweets(ctx, query, view)).items.slice(offset, offset + limit);
}

/** The very tag, if anybody uses it, and trending ones that begin with it. */
async function tagsFor(ctx: Ctx, { q, limit, offset = 0 }: Search): Promise<string[]> {
  const tag = foldTag(q.trim());
  if (tag === undefined) return [];
  const [isUsed, trends] = await Promise.all([isTagUsed(ctx, tag), trendingTags(ctx)]);
  const longer = trends.map((trend) => trend.tag).filter((one) => one.startsWith(tag));
  const tags = [...(isUsed ? [tag] : []), ...longer.filter((one) => one !== tag)];
  return tags.slice(offset, offset + limit);
}
