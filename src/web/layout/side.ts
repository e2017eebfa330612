import { memo } from "../../domain/memo.ts";
import type { Ctx } from "../../context.ts";
import { withoutCaching, withoutCachingNow, expiresAt } from "../../domain/scope.ts";
import { followingsVersion } from "../../domain/graph/follows.ts";
import { type Trend, trendingTags } from "../../domain/search/trending.ts";
import { isHiddenFrom, relationsTo } from "../../domain/graph/relations.ts";
import { newestUsers } from "../../domain/users/listed.ts";
import { findUsers } from "../../domain/users/store.ts";
import type { Reader, Translator } from "../languages/translator.ts";
import { type PersonView, presentName, presentPeople } from "./people.ts";
import { presentSuggestions } from "./suggestions.ts";

const shown = { trends: 5, people: 3 } as const;
/** How long the results are shown; they need not be fresher. */
const keptMilliseconds = 60_000;

interface Found {
  language: string;
  heading: string;
  people: PersonView[];
  until: number;
}

/** By the mark of the viewer's followings. If signed out, by the translator. */
const lastFor = memo((_owner: object): { found?: Found } => ({}));

/**
 * Third column of wide screens: trends and suggestions. Results are kept in this process, so Redis is
 * asked with a few commands once a minute. Users now followed, blocked or muted by the viewer disappear
 * at once, as do suspended users; names are always current.
 */
export async function presentSide(ctx: Ctx, reader: Reader) {
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
  const visible = people.flatMap((person) => {
    const user = users.get(person.id);
    const isHidden = isHiddenFrom(viewer, user, relationTo) || relationTo(person.id).muted;
    return user === undefined || isHidden
      ? []
      : [{ ...person, ...presentName(user), bio: user.bio }];
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
  last.found = { ...people, until: now + keptMilliseconds };
  return last.found;
}

/** Finds twice as many as are shown, as some may become hidden within the minute. */
async function findPeople(ctx: Ctx, reader: Reader): Promise<Omit<Found, "until">> {
  const { words } = reader;
  const { language } = words;
  const suggested = await presentSuggestions(ctx, reader, 2 * shown.people);
  if (suggested.length > 0)
    return { language, heading: words.t("side.whoToFollow"), people: suggested };
  const newest = await presentPeople(ctx, reader, await newestUsers(ctx, 4 * shown.people));
  const others = newest.filter(({ isMe, follow }) => !isMe && follow?.pressed === false);
  return {
    language,
    heading: words.t("side.newPeople"),
    people: others.slice(0, 2 * shown.people),
  };
}
