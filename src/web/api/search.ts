import { z } from "zod";
import { Unauthenticated } from "../../domain/errors.ts";
import { findFeedItem } from "../../domain/feeds/thread.ts";
import type { FeedItem } from "../../domain/feeds/types.ts";
import { isFollowedBy } from "../../domain/graph/follows.ts";
import { visiblePeople } from "../../domain/graph/relations.ts";
import { parseTweetId, parseUserId } from "../../domain/ids.ts";
import { findTweets, parseQuery, tagFeed } from "../../domain/search/find-tweets.ts";
import { trendingTags } from "../../domain/search/trending.ts";
import { tallies } from "../../domain/tallies.ts";
import { foldTag, shortenMentions } from "../../domain/tweets/text.ts";
import { foldName, findUser, type User } from "../../domain/users/store.ts";
import { findByAcct } from "./account-param.ts";
import { searchPeople } from "./accounts.ts";
import { type Endpoint, endpoint, knows } from "./endpoint.ts";
import { Account, presentAccounts } from "./entities/account.ts";
import { entity } from "./entities/fields.ts";
import { type ApiView, listOf, toJson, withFields } from "./entities/parts.ts";
import { presentStatuses, Status } from "./entities/status.ts";
import { anything, count, flag, text } from "./input.ts";
import { statusPagingOf, statusPaging } from "./paging.ts";
import { Tag, tagEntity } from "./tags.ts";

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

const Search = entity("Search", {
  accounts: z.array(Account),
  statuses: z.array(Status),
  hashtags: z.array(Tag),
});

type Query = z.output<typeof form>;

interface Results {
  people?: User[];
  items?: FeedItem[];
  tags?: string[];
}

/** Max offset: every page finds all results before it again. */
const maxOffset = 400;

export const searchEndpoints: readonly Endpoint[] = [
  endpoint("GET /api/v2/search", "Accounts, statuses and hashtags, by words or by address", {
    access: knows("read:search"),
    query: form,
    answer: Search,
    counts: "search",
    async handle(request) {
      const { ctx, site, viewer, query } = request;
      if (viewer === undefined && (query.offset ?? 0) > 0) throw new Unauthenticated("no user");
      const { people = [], items = [], tags = [] } = await find(request, query);
      const [accounts, statuses] = await Promise.all([
        presentAccounts(request, people),
        presentStatuses(request, items),
      ]);
      const isFollowed = await isFollowedBy(ctx, viewer?.id);
      const hashtags = tags.map((tag) => tagEntity(site, tag, { following: isFollowed(tag) }));
      return withFields(toJson({ hashtags }), {
        accounts: listOf(accounts),
        statuses: listOf(statuses),
      });
    },
  }),
];

async function find(view: ApiView, query: Query): Promise<Results> {
  const { q, type, offset = 0 } = query;
  if (q.trim() === "" || offset > maxOffset) return {};
  const isWanted = (what: typeof type) => type === undefined || type === what;
  const named = await findByAddress(view, q.trim());
  if (named !== undefined)
    return {
      people: isWanted("accounts") ? named.people : [],
      items: isWanted("statuses") ? named.items : [],
    };
  const [people, items, tags] = await Promise.all([
    isWanted("accounts") ? findAccounts(view, query) : [],
    isWanted("statuses") ? findStatuses(view, query) : [],
    isWanted("hashtags") ? findTags(view, query) : [],
  ]);
  return { people, items, tags };
}

/** The user or tweet that an address of this site shows, as apps open links by it; undefined for any other text. */
async function findByAddress(view: ApiView, typed: string): Promise<Results | undefined> {
  const { ctx, site, viewer } = view;
  if (!/^https?:/i.test(typed) || !URL.canParse(typed)) return undefined;
  const { origin, pathname } = new URL(typed);
  if (origin !== site) return undefined;
  const [, name, tweet = ""] = /^\/(?:@(\w+)|tweets\/(\d+))\/?$/.exec(pathname) ?? [];
  const user = name === undefined ? undefined : await findByAcct(ctx, name, site);
  const id = parseTweetId(tweet);
  const item = id && (await findFeedItem(ctx, viewer, id));
  const people = await visiblePeople(ctx, viewer, user === undefined ? [] : [user]);
  return { people, items: item === undefined ? [] : [item] };
}

async function findAccounts(view: ApiView, query: Query): Promise<User[]> {
  const { q, limit, offset = 0, following = false } = query;
  if (/^\s*[#＃]/.test(q)) return [];
  return await searchPeople(view, q, { limit, offset, following });
}

async function findStatuses({ ctx, viewer }: ApiView, query: Query): Promise<FeedItem[]> {
  const { q, limit, offset = 0, account_id: account = "" } = query;
  tallies.searches.inc({ kind: "tweets" });
  const terms = parseQuery(shortenMentions(ctx, q));
  if (account !== "") {
    const id = parseUserId(account);
    const author = id && (await findUser(ctx, id));
    if (author === undefined) return [];
    terms.from.push(foldName(author.name));
  }
  const view = { ...(await statusPagingOf(ctx, query)), viewer, limit: offset + limit };
  return (await findTweets(ctx, terms, view)).items.slice(offset, offset + limit);
}

/** The tag itself, if the viewer sees a tweet with it, and trending tags that begin with it. */
async function findTags({ ctx, viewer }: ApiView, { q, limit, offset = 0 }: Query) {
  const tag = foldTag(q.trim());
  if (tag === undefined) return [];
  const [{ items }, trends] = await Promise.all([
    tagFeed(ctx, tag, { viewer, limit: 1 }),
    trendingTags(ctx),
  ]);
  const longer = trends.map((trend) => trend.tag).filter((trend) => trend.startsWith(tag));
  const tags = [...(items.length > 0 ? [tag] : []), ...longer.filter((other) => other !== tag)];
  return tags.slice(offset, offset + limit);
}
