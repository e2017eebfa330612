import type { Request, Router } from "express";
import type { Ctx } from "../../../context.ts";
import { followRequestsPage } from "../../../domain/graph/follow-requests.ts";
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
  presentAnswers,
  presentName,
  presentPeople,
  type Sentence,
} from "../../layout/people.ts";
import { presentSide } from "../../layout/side.ts";
import { requireReader } from "../../request/reader.ts";
import { shownFirst } from "../../../domain/tweets/tweet.ts";
import { findUsers } from "../../../domain/users/store.ts";
import type { SignedInReader } from "../../languages/translator.ts";
import { clip } from "../../layout/text.ts";
import { presentTime } from "../../layout/time.ts";
import { presentTweets } from "../../layout/timeline.ts";
import { foreignTo } from "../../layout/tweet.ts";

/** Notifications, which are read once they were looked at (docs/decisions/0011), and users who ask to follow. */
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
    const { viewer, words } = reader;
    const list = await presentOwnList(ctx, reader, {
      path: requestsPath,
      read: (range) => followRequestsPage(ctx, viewer.id, range),
      empty: viewer.protected ? "requests.none" : "requests.open",
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
  reader: SignedInReader,
  items: NotificationGroupItem[],
) {
  const facts = await gatherFacts(ctx, reader, items);
  return items.flatMap((one) => viewNotification(one, facts) ?? []);
}

type NotificationFacts = Awaited<ReturnType<typeof gatherFacts>>;

/** What views depend on beside the notification; `now` in milliseconds. */
async function gatherFacts(
  ctx: Ctx,
  { viewer, words }: SignedInReader,
  items: NotificationGroupItem[],
) {
  const written = items.flatMap(({ kind, item }) => (isWritten(kind) && item ? [item] : []));
  const named = items.flatMap(({ actors }) => actors.slice(0, facesShown));
  const [people, tweets] = await Promise.all([
    findUsers(ctx, named),
    presentTweets(ctx, { viewer, words }, written),
  ]);
  const followers = items
    .filter(({ kind }) => kind === "follow")
    .flatMap(({ actors }) => actors.slice(0, facesShown).flatMap((id) => people.get(id) ?? []));
  const persons = await presentPeople(ctx, { viewer, words }, [...new Set(followers)]);
  // New followers whom the viewer does not follow.
  const followable = new Map(
    persons.filter(({ follow }) => follow?.pressed === false).map((person) => [person.id, person]),
  );
  const views = new Map(written.map(({ tweet }, index) => [tweet.id, tweets[index]]));
  return { people, followable, views, viewer, words, now: ctx.now() };
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
