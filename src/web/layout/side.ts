import { memo } from "../../domain/memo.ts";
import type { Ctx } from "../../context.ts";
import { expiresAt, withoutCaching, withoutCachingNow } from "../../domain/scope.ts";
import { requestedAmong } from "../../domain/graph/follow-requests.ts";
import { followingsVersion } from "../../domain/graph/follows.ts";
import { type Trend, trendingTags } from "../../domain/search/trending.ts";
import { isHiddenFrom, relationsTo, visiblePeople } from "../../domain/graph/relations.ts";
import { newestUsers } from "../../domain/users/listed.ts";
import { findUserByName, findUsers, type User } from "../../domain/users/store.ts";
import type { Reader, SignedInReader, Translator } from "../languages/translator.ts";
import { type PersonView, presentName, presentPeople } from "./people.ts";
import { suggestPeople } from "../../domain/graph/suggestions.ts";
import { activePeople } from "../../domain/feeds/public-lists.ts";
import type { UserId } from "../../domain/ids.ts";

const shown = { trends: 5, people: 3 } as const;
/** How long the results are shown; they need not be fresher. */
const keptMilliseconds = 60_000;

type Found = Awaited<ReturnType<typeof findPeople>> & { language: string; until: number };

/** Last results, by the mark of the viewer's followings or, if signed out, by the translator. */
const lastFor = memo((_owner: object): { found?: Found } => ({}));

/**
 * Third column of wide screens: trends and suggestions. Results are kept in this process, so Redis is
 * asked with a few commands once a minute. Users now followed, asked, blocked or muted by the viewer
 * disappear at once, as do suspended users; names are always current.
 */
export async function presentSide(ctx: Ctx, reader: Reader) {
  const make = async () => await makeSide(ctx, reader);
  return await (reader.kept?.value(ctx, "side", make) ?? make());
}

async function makeSide(ctx: Ctx, reader: Reader) {
  const { viewer, words } = reader;
  const [trends, { heading, people }] = await Promise.all([
    trendingTags(ctx),
    peopleFor(ctx, reader),
  ]);
  const ids = people.map(({ id }) => id);
  const [users, relationTo] = await Promise.all([
    findUsers(ctx, ids),
    relationsTo(ctx, viewer, ids),
  ]);
  const closedIds = [...users.values()].filter((user) => user.protected).map(({ id }) => id);
  const askedIds =
    viewer && closedIds.length > 0 ? await requestedAmong(ctx, viewer.id, closedIds) : new Set();
  const visible = people.flatMap((person) => {
    const user = users.get(person.id);
    const isHidden = isHiddenFrom(viewer, user, relationTo) || relationTo(person.id).muted;
    if (user === undefined || isHidden || askedIds.has(person.id)) return [];
    return { ...person, ...presentName(user), bio: user.bio };
  });
  return {
    trends: presentTrends(words, trends.slice(0, shown.trends)),
    heading,
    people: visible.slice(0, shown.people),
  };
}

/** Trending tags, for a list of links. */
export function presentTrends(words: Translator, trends: Trend[]) {
  return trends.map(({ tag, people }) => ({
    tag,
    href: `/tags/${encodeURIComponent(tag)}`,
    people: words.t("trend.people", words.counted(people)),
  }));
}

async function peopleFor(ctx: Ctx, reader: Reader): Promise<Found> {
  const { viewer, words } = reader;
  const owner = viewer === undefined ? words : await followingsVersion(ctx, viewer.id);
  const last = lastFor(owner);
  const { found: known } = last;
  const now = withoutCachingNow(ctx);
  const isFresh = known !== undefined && now < known.until && now >= known.until - keptMilliseconds;
  if (isFresh && known.language === words.language) {
    expiresAt(known.until);
    return known;
  }
  expiresAt(now + keptMilliseconds);
  const people = await withoutCaching(() => findPeople(ctx, reader));
  last.found = { ...people, language: words.language, until: now + keptMilliseconds };
  return last.found;
}

/** Finds twice as many as are shown, as some may become hidden within the minute. */
async function findPeople(ctx: Ctx, reader: Reader) {
  const { words } = reader;
  const limit = 2 * shown.people;
  const suggested = await presentSuggestions(ctx, reader, limit);
  if (suggested.length > 0) return { heading: words.t("side.whoToFollow"), people: suggested };
  const newest = await presentPeople(ctx, reader, await newestUsers(ctx, 2 * limit));
  const others = newest.filter(({ isMe, follow }) => !isMe && follow?.pressed === false);
  return { heading: words.t("side.newPeople"), people: others.slice(0, limit) };
}

/** Suggestions of users to follow, with reasons; empty if signed out. */
export async function presentSuggestions(ctx: Ctx, reader: Reader, limit: number) {
  const { viewer, words } = reader;
  if (viewer === undefined) return [];
  // More than needed, as some may drop out.
  const suggestions = await suggestPeople(ctx, viewer, 2 * limit);
  const named = suggestions.flatMap(({ id, through }) => [id, ...through.slice(0, 2)]);
  const users = await findUsers(ctx, named);
  const reasons = new Map(
    suggestions.map(({ id, through }) => [id, reasonFor(words, through, users)]),
  );
  const people = suggestions.flatMap(({ id }) => users.get(id) ?? []).slice(0, limit);
  const views = await presentPeople(ctx, reader, people);
  return views.map((view) => ({ ...view, reason: reasons.get(view.id) }));
}

/**
 * Users for a viewer who follows few: the user with the name `first`, active users, then the newest ones. It does not
 * depend on whom the viewer follows, so the list stays as it is while the viewer chooses.
 */
export async function presentPeopleToFollow(
  ctx: Ctx,
  reader: SignedInReader,
  limit: number,
  first = "",
): Promise<PersonView[]> {
  const { viewer } = reader;
  const [inviter, active, newest] = await Promise.all([
    first === "" ? undefined : findUserByName(ctx, first),
    activePeople(ctx),
    newestUsers(ctx, 2 * limit),
  ]);
  const ids = new Set([...(inviter ? [inviter.id] : []), ...active, ...newest.map(({ id }) => id)]);
  ids.delete(viewer.id);
  const others = await findUsers(ctx, ids);
  const seen = await visiblePeople(ctx, viewer, [...others.values()]);
  return (await presentPeople(ctx, reader, seen)).slice(0, limit);
}

/** "Followed by @ann", "Followed by @ann and @bob", "Followed by @ann and 2 others you follow". */
function reasonFor(words: Translator, through: UserId[], users: ReadonlyMap<UserId, User>) {
  const [first, second] = through.slice(0, 2).map((id) => users.get(id));
  if (first === undefined) return undefined;
  const one = first.name;
  if (through.length === 1) return words.t("person.followedBy", { one });
  if (through.length === 2 && second !== undefined)
    return words.t("person.followedByTwo", { one, other: second.name });
  return words.t("person.followedByMany", { one, ...words.counted(through.length - 1) });
}
