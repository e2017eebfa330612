import type { Ctx } from "../../../context.ts";
import type { FeedItem } from "../../../domain/feeds/types.ts";
import { visiblePeople } from "../../../domain/graph/relations.ts";
import type { Page } from "../../../domain/page.ts";
import { defaultName, type SiteSettings } from "../../../domain/site/settings.ts";
import { trendingTags } from "../../../domain/search/trending.ts";
import { newestUsers } from "../../../domain/users/listed.ts";
import type { ComposerView } from "../tweets/form.ts";
import type { Reader, SignedInReader, Translator } from "../../languages/translator.ts";
import { taglineOf } from "../../layout/branding.ts";
import { presentPaging, presentTweetList } from "../../layout/paging.ts";
import { type PersonView, presentPeople } from "../../layout/people.ts";
import { presentPeopleToFollow, presentSuggestions, presentTrends } from "../../layout/side.ts";
import { stepUrl } from "../sign-in/view.ts";
import { presentTimeline } from "../../layout/timeline.ts";

const suggestionsShown = 5;
const newestShown = 20;

/** The start page for signed-out readers: the newest tweets of all users. */
export async function presentWelcome(
  ctx: Ctx,
  reader: Reader,
  site: SiteSettings,
  feed: Page<FeedItem>,
) {
  const { words, before } = reader;
  const { side, ...list } = await presentTweetList(ctx, reader, "/", feed);
  return {
    description: taglineOf(words, site),
    ...introduce(words, site),
    ...list,
    // In the main column, which phones show as well.
    trends: before === undefined ? side.trends : [],
    side: { ...side, trends: [] },
  };
}

/** The site in a heading and a sentence; what the admins wrote takes the place of Suzume's own words. */
function introduce(words: Translator, { name, tagline, description }: SiteSettings) {
  const heading = words.t("welcome.heading");
  const sparrow = { text: "雀", lang: "ja" };
  const more = description === "" ? undefined : words.t("welcome.more", { site: name });
  if (tagline !== "") return { heading: name, intro: [tagline], more };
  if (name === defaultName)
    return { heading, intro: words.pieces("welcome.intro", { sparrow }), more };
  return { heading: name, intro: [words.t("welcome.introNamed")], more };
}

export async function presentHome(
  ctx: Ctx,
  reader: SignedInReader,
  feed: Page<FeedItem>,
  composer: ComposerView,
) {
  const { viewer, words, before, late = String } = reader;
  const isQuiet =
    before === undefined && feed.items.every(({ tweet }) => tweet.author === viewer.id);
  const { side, ...list } = await presentTweetList(ctx, reader, "/", feed);
  const quiet = isQuiet && {
    startUrl: viewer.bio === "" ? stepUrl(0) : undefined,
    people: await peopleFor(ctx, reader),
  };
  return {
    title: words.t("nav.home"),
    composer,
    ...list,
    // A home without tweets by others shows people in the main column.
    side: isQuiet ? { ...side, people: [] } : side,
    // Items after this stamp are new; if nothing is shown, all items are.
    read: presentRead(reader, feed),
    live: before === undefined ? { after: late(feed.items[0]?.stamp ?? 0, "after") } : undefined,
    quiet,
  };
}

/**
 * On the first page: the stamp of its newest item, for the button that marks home as read, if others wrote any since;
 * and the way to what was read last, if it is not on the page.
 */
function presentRead({ viewer, before, late = String }: SignedInReader, { items }: Page<FeedItem>) {
  const [newest, oldest] = [items[0]?.stamp, items.at(-1)?.stamp];
  if (before !== undefined || newest === undefined || oldest === undefined) return undefined;
  const { homeRead } = viewer;
  const isUnread = items.some(
    ({ stamp, tweet, retweet }) => stamp > homeRead && (retweet ?? tweet).author !== viewer.id,
  );
  return {
    upto: isUnread ? late(newest, "upto") : undefined,
    lastUrl: homeRead > 0 && homeRead < oldest ? `/?before=${homeRead + 1}` : undefined,
  };
}

async function peopleFor(ctx: Ctx, reader: SignedInReader): Promise<PersonView[]> {
  const suggestions = await presentSuggestions(ctx, reader, suggestionsShown);
  if (suggestions.length > 0) return suggestions;
  const people = await presentPeopleToFollow(ctx, reader, 2 * suggestionsShown);
  return people.filter(({ follow }) => follow?.pressed === false).slice(0, suggestionsShown);
}

/** The newest tweets and users, trends and suggestions. */
export async function presentExplore(ctx: Ctx, reader: Reader, feed: Page<FeedItem>) {
  const { viewer, words, before } = reader;
  const isFirst = before === undefined;
  const suggested = isFirst ? await presentSuggestions(ctx, reader, suggestionsShown) : [];
  const newest = isFirst ? await newestUsers(ctx, newestShown) : [];
  const seen = await visiblePeople(ctx, viewer, newest);
  const others = seen.filter(({ id }) => suggested.every((person) => person.id !== id));
  return {
    title: words.t("nav.explore"),
    timeline: await presentTimeline(ctx, reader, feed.items),
    trends: presentTrends(words, isFirst ? await trendingTags(ctx) : []),
    suggested,
    people: await presentPeople(ctx, reader, others),
    ...presentPaging(reader, "/explore", feed, "explore.empty"),
  };
}
