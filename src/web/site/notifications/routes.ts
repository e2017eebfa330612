import type { Request, Router } from "express";
import type { Ctx } from "../../../context.ts";
import { followRequestsPage } from "../../../domain/graph/follow-requests.ts";
import { readOwnPeople } from "../../../domain/graph/people-lists.ts";
import {
  type NotificationGroupItem,
  notificationsFeed,
} from "../../../domain/notifications/grouped.ts";
import { isWritten, markRead } from "../../../domain/notifications/store.ts";
import { bestEffort } from "../../../domain/outage.ts";
import { presentNavigation, readBadges } from "../../layout/navigation.ts";
import { presentOwnList, presentPaging } from "../../layout/paging.ts";
import {
  type NameView,
  type PersonView,
  presentAnswers,
  presentName,
  presentPeople,
  type Sentence,
} from "../../layout/people.ts";
import { presentSide } from "../../layout/side.ts";
import { requireReader } from "../../request/reader.ts";
import type { UserId } from "../../../domain/ids.ts";
import { shownFirst } from "../../../domain/tweets/tweet.ts";
import { findUsers, type User } from "../../../domain/users/store.ts";
import type { SignedInReader, Translator } from "../../languages/translator.ts";
import { clip } from "../../layout/text.ts";
import { presentTime } from "../../layout/time.ts";
import { presentTweets } from "../../layout/timeline.ts";
import { foreignTo, type TweetView } from "../../layout/tweet.ts";

/**
 * Notifications of the viewer, and users who ask to follow them. Looking at notifications marks them as read:
 * docs/decisions/0011.
 */
export function notificationPages(router: Router, ctx: Ctx): void {
  router.get("/notifications", async (req, res) => {
    const reader = requireReader(res);
    const { viewer, words, before } = reader;
    const feed = await notificationsFeed(ctx, viewer, before);
    const [newest] = feed.items;
    if (newest !== undefined && isLook(req)) {
      await bestEffort(markRead(ctx, viewer, newest.stamp));
      if (before === undefined) {
        const badges = { ...(await readBadges(ctx, viewer)), notifications: 0 };
        res.locals.nav = presentNavigation(ctx, reader, { path: req.path, next: "/" }, badges);
      }
    }
    res.render("notifications/index", {
      title: words.t("nav.notifications"),
      notifications: await presentNotifications(ctx, reader, feed.items),
      side: await presentSide(ctx, reader),
      ...presentPaging(reader, "/notifications", feed, "notification.empty"),
    });
  });

  // The buttons of each user are those of a profile; a suspended one can only be declined.
  router.get(requestsPath, async (_req, res) => {
    const reader = requireReader(res);
    const { viewer, words, before } = reader;
    const page = await readOwnPeople(ctx, { before }, (range) =>
      followRequestsPage(ctx, viewer.id, range),
    );
    const empty = viewer.protected ? "requests.none" : "requests.open";
    const list = await presentOwnList(ctx, reader, {
      path: requestsPath,
      page,
      empty,
      label: "requests.decline",
      actionOf: (url) => `${url}/decline`,
    });
    res.render("follow-requests/index", {
      title: words.t("nav.requests"),
      side: await presentSide(ctx, reader),
      ...list,
      people: list.people.map((person) => ({
        ...person,
        answers: person.reason === undefined ? presentAnswers(words, person.url) : undefined,
      })),
    });
  });
}

/** False for a prefetch: the browser has not shown the page. */
export function isLook(req: Request): boolean {
  return req.method === "GET" && !/prefetch/i.test(req.get("sec-purpose") ?? "");
}

const facesShown = 6;
/** Max buttons to follow back. */
const buttonsShown = 3;
/** The page where the viewer answers requests to follow. */
const requestsPath = "/follow-requests";
/** Max characters of an excerpt. */
const excerptLimit = 140;

/** Leaves out notifications whose users or tweets are gone. */
async function presentNotifications(
  ctx: Ctx,
  { viewer, words }: SignedInReader,
  items: NotificationGroupItem[],
) {
  const written = items.flatMap(({ kind, item }) => (isWritten(kind) && item ? [item] : []));
  const [people, tweets] = await Promise.all([
    findUsers(
      ctx,
      items.flatMap(({ actors }) => actors.slice(0, facesShown)),
    ),
    presentTweets(ctx, { viewer, words }, written),
  ]);
  const followers = items
    .filter(({ kind }) => kind === "follow")
    .flatMap(({ actors }) => actors.slice(0, facesShown).flatMap((id) => people.get(id) ?? []));
  const persons = await presentPeople(ctx, { viewer, words }, [...new Set(followers)]);
  const followable = new Map(
    persons.filter(({ follow }) => follow?.pressed === false).map((person) => [person.id, person]),
  );
  const views = new Map(written.map(({ tweet }, index) => [tweet.id, tweets[index]]));
  const now = ctx.now();
  return items
    .map((one) => viewNotification(one, { people, followable, views, viewer, words, now }))
    .filter((view) => view !== undefined);
}

/** What views depend on beside the notification; `now` in milliseconds. */
interface NotificationFacts {
  people: ReadonlyMap<UserId, User>;
  /** New followers whom the viewer does not follow. */
  followable: ReadonlyMap<UserId, PersonView>;
  views: ReadonlyMap<string, TweetView | undefined>;
  viewer: User;
  words: Translator;
  now: number;
}

function viewNotification(one: NotificationGroupItem, facts: NotificationFacts) {
  const { kind, actors, stamp, unread, item } = one;
  const people = actors
    .slice(0, facesShown)
    .flatMap((id) => facts.people.get(id) ?? [])
    .map(presentName);
  const tweet = isWritten(kind) && item ? facts.views.get(item.tweet.id) : undefined;
  const isGone = one.tweet !== undefined && (isWritten(kind) ? tweet : item) === undefined;
  const sentence = presentSentence(one, people, facts);
  if (sentence === undefined || isGone) return undefined;
  return {
    kind,
    unread,
    sentence,
    // Some of the users who did it, newest first.
    people,
    followBack:
      kind === "follow"
        ? people.flatMap(({ id }) => facts.followable.get(id) ?? []).slice(0, buttonsShown)
        : [],
    answersUrl: kind === "follow_request" ? requestsPath : undefined,
    // Beginning of the liked or retweeted tweet.
    excerpt:
      item && tweet === undefined
        ? {
            text: clip(shownFirst(item.tweet), excerptLimit) || facts.words.t("messages.pictures"),
            lang: foreignTo(facts.words, item.tweet),
            edited: item.tweet.editedAt !== undefined,
            url: `/tweets/${item.tweet.id}`,
          }
        : undefined,
    // The reply or mention itself, with a reply button.
    tweet,
    ...presentTime(facts.words, stamp, facts.now),
  };
}

/** "Demo A and 3 others liked your tweet", with links. Undefined if all users are gone. */
function presentSentence(
  { kind, actors, item }: NotificationGroupItem,
  named: NameView[],
  { viewer, words }: NotificationFacts,
): Sentence | undefined {
  const [person, other] = named.map((view) => ({ person: view }));
  if (person === undefined) return undefined;
  const count = actors.length;
  const people = kind === "follow_request" ? requestsPath : `/@${viewer.name}/followers`;
  const list = item ? `/tweets/${item.tweet.id}/${kind}s` : people;
  const others = { text: words.t("notification.others", words.counted(count - 1)), href: list };
  const yours = words.t("notification.yourTweet");
  const tweet = kind === "reply" ? item?.tweet.replyTo?.tweet : item?.tweet.id;
  return words.pieces(`notification.${kind}`, {
    who: count === 1 ? "one" : count === 2 && other !== undefined ? "two" : "many",
    person,
    other: other ?? others,
    others,
    tweet: tweet === undefined ? yours : { text: yours, href: `/tweets/${tweet}` },
    asker: actors[0] === viewer.id ? "viewer" : "other",
  });
}
