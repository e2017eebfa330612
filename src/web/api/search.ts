import { z } from "zod";
import type { Ctx } from "../../context.ts";
import { Unauthenticated } from "../../domain/errors.ts";
import { parseTweetId, parseUserId } from "../../domain/ids.ts";
import { isTagUsed } from "../../domain/search/index-tweet.ts";
import { trendingTags } from "../../domain/search/trending.ts";
import { foldTag } from "../../domain/tweets/text.ts";
import { findTweets, parseQuery } from "../../domain/search/find-tweets.ts";
import type { FeedItem } from "../../domain/feeds/types.ts";
import { findFeedItem } from "../../domain/feeds/thread.ts";
import { visiblePeople } from "../../domain/graph/relations.ts";
import { foldName, findUser, type User } from "../../domain/users/store.ts";
import { limitAct } from "../middleware/limits.ts";
import { siteOrigin } from "../send-public.ts";
import { peopleCalled } from "./accounts.ts";
import { type Endpoint, endpoint, knows, one } from "./endpoint.ts";
import { presentAccounts } from "./entities/account.ts";
import { presentStatuses } from "./entities/status.ts";
import { tagEntity } from "./entities/tag.ts";
import { anything, count, flag, text } from "./input.ts";
import { pagingOf, statusPaging } from "./paging.ts";
import { findByAcct, nameIn } from "./account-param.ts";
import { sendJson } from "./send.ts";

const kind = z.preprocess(
  (value) => (value === "" ? undefined : value),
  z.enum(["accounts", "hashtags", "statuses"]).optional(),
);
const form = statusPaging.extend({
  q: z.string(),
  type: kind,
  offset: count,
  following: flag,
  account_id: text,
  resolve: anything("There are no other sites to ask."),
});

/** The query, the viewer and the origin of the site. */
interface Search extends z.output<typeof form> {
  viewer: User | undefined;
  site: string;
}

interface Results {
  people: User[];
  items: FeedItem[];
  tags: string[];
}

/** Max offset: every page finds all results before it again. */
const furthest = 400;

export const searchEndpoints: readonly Endpoint[] = [
  endpoint({
    method: "get",
    path: "/api/v2/search",
    summary: "People, tweets and hashtags; the address of a page of this site finds what it shows",
    access: knows("read:search"),
    query: form,
    answer: one("Search"),
    before: (ctx) => [limitAct(ctx, "searches")],
    async handle({ ctx, req, res, viewer, query }) {
      const site = siteOrigin(ctx, req);
      if (viewer === undefined && (query.offset ?? 0) > 0) throw new Unauthenticated("no user");
      const results = await find(ctx, { ...query, viewer, site });
      const [accounts, statuses] = await Promise.all([
        presentAccounts(ctx, site, results.people),
        presentStatuses(ctx, viewer, results.items, site),
      ]);
      const hashtags = JSON.stringify(results.tags.map((tag) => tagEntity(site, tag)));
      sendJson(
        res,
        `{"accounts":[${accounts.join(",")}],"statuses":[${statuses.join(",")}],"hashtags":${hashtags}}`,
      );
    },
  }),
];

async function find(ctx: Ctx, search: Search): Promise<Results> {
  const { q, type, offset = 0 } = search;
  if (q.trim() === "" || offset > furthest) return { people: [], items: [], tags: [] };
  const named = await findByAddress(ctx, search);
  if (named !== undefined) return onlyOf(type, named);
  const isWanted = (what: typeof type) => type === undefined || type === what;
  const [people, items, tags] = await Promise.all([
    isWanted("accounts") ? peopleFor(ctx, search) : [],
    isWanted("statuses") ? tweetsFor(ctx, search) : [],
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
  const people = await visiblePeople(ctx, viewer, user === undefined ? [] : [user]);
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

async function tweetsFor(ctx: Ctx, search: Search): Promise<FeedItem[]> {
  const { q, viewer, limit, offset = 0, account_id: account } = search;
  const query = parseQuery(q);
  if (account !== undefined) {
    const id = parseUserId(account);
    const author = id && (await findUser(ctx, id));
    if (author === undefined) return [];
    query.from.push(foldName(author.name));
  }
  const view = { ...pagingOf(search), viewer, limit: offset + limit };
  return (await findTweets(ctx, query, view)).items.slice(offset, offset + limit);
}

/** The very tag, if anybody uses it, and trending ones that begin with it. */
async function tagsFor(ctx: Ctx, { q, limit, offset = 0 }: Search): Promise<string[]> {
  const tag = foldTag(q.trim());
  if (tag === undefined) return [];
  const [isUsed, trends] = await Promise.all([isTagUsed(ctx, tag), trendingTags(ctx)]);
  const longer = trends.map((trend) => trend.tag).filter((trend) => trend.startsWith(tag));
  const tags = [...(isUsed ? [tag] : []), ...longer.filter((other) => other !== tag)];
  return tags.slice(offset, offset + limit);
}
