import type { Ctx } from "../../../context.ts";
import { NotFound } from "../../../domain/errors.ts";
import { requestersAmong } from "../../../domain/graph/follow-requests.ts";
import { readFollowOptions } from "../../../domain/graph/follows.ts";
import type { FeedItem } from "../../../domain/feeds/types.ts";
import type { Page } from "../../../domain/page.ts";
import { stampToDate } from "../../../domain/ids.ts";
import { findAccountStats } from "../../../domain/timelines/account-stats.ts";
import { relationsTo } from "../../../domain/graph/relations.ts";
import { mentionsIn } from "../../../domain/tweets/text.ts";
import { findMentioned, type User } from "../../../domain/users/store.ts";
import type { Reader } from "../../languages/translator.ts";
import {
  presentAnswers,
  presentButton,
  presentCount,
  presentName,
  presentPeople,
  presentTabs,
} from "../../layout/people.ts";
import { feedAlternates, presentOpenGraph } from "../../layout/branding.ts";
import { presentPeopleList, presentTweetList } from "../../layout/paging.ts";
import { presentHeader } from "../../layout/pictures.ts";
import { presentText } from "../../layout/text.ts";
import { presentDay } from "../../layout/time.ts";
import { presentTweet } from "../../layout/timeline.ts";
import { presentFacts, presentMenu, relationText } from "./menu-view.ts";

type ProfileView = Awaited<ReturnType<typeof presentProfile>>;

/** Throws NotFound for a suspended user. */
export async function presentProfile(ctx: Ctx, reader: Reader, user: User) {
  const { viewer, words } = reader;
  const [[person], mentions, relationTo, { tweets, followings, followers }] = await Promise.all([
    presentPeople(ctx, reader, [user]),
    findMentioned(ctx, mentionsIn(user.bio)),
    relationsTo(ctx, viewer, [user.id]),
    findAccountStats(ctx, user.id),
  ]);
  if (person === undefined) throw new NotFound("user");
  const { url } = person;
  const follow = viewer && person.isFollowed && { follower: viewer.id, followee: user.id };
  const options = follow ? await readFollowOptions(ctx, follow) : undefined;
  const asks = viewer?.protected && (await requestersAmong(ctx, viewer.id, [user.id])).has(user.id);
  const relation = relationTo(user.id);
  const isLocked = user.protected && !person.isMe && !person.isFollowed && !relation.blocked;
  return {
    ...person,
    // Why the viewer, no follower of a protected account, sees no tweets.
    locked: isLocked
      ? words.t(person.isRequested ? "profile.lockedAsked" : "profile.locked", { name: user.name })
      : undefined,
    asks: asks && {
      text: words.t("profile.asks", { name: user.name }),
      answers: presentAnswers(words, url),
    },
    hasTweets: !relation.blocked && !isLocked,
    // Behind a block only the names are shown.
    header: relation.blocked ? undefined : presentHeader(user),
    bioParts: presentText(user.bio, mentions),
    facts: presentFacts(words, user),
    menu: viewer && !person.isMe ? presentMenu(words, person, relation, options) : undefined,
    relation: relationText(words, user, relation),
    unmute: relation.muted && presentButton(words, `${url}/unmute`, "profile.unmute", true),
    // There is a block either way.
    isBlocked: relation.blocked,
    joined: words.t("profile.joined", { day: presentDay(words, user.createdAt) }),
    joinedIso: stampToDate(user.createdAt).toISOString(),
    counts: {
      tweets: presentCount(words, tweets, `${url}/replies`, "profile.countTweets"),
      followings: presentCount(words, followings, `${url}/followings`, "profile.countFollowings"),
      followers: presentCount(words, followers, `${url}/followers`, "profile.countFollowers"),
    },
  };
}

/** The lists of tweets on a profile, with the texts for an empty one: for the owner and for others. */
const emptyTexts = {
  tweets: ["profile.noTweetsOfYours", "profile.noTweets"],
  replies: ["profile.noTweetsOfYours", "profile.noTweets"],
  likes: ["profile.noLikesOfYours", "profile.noLikes"],
} as const;
export type TweetTab = keyof typeof emptyTexts;

/** A profile with one of its lists. `base` is the URL of the site. */
export async function presentProfilePage(
  ctx: Ctx,
  reader: Reader,
  base: string,
  shown: {
    user: User;
    profile: ProfileView;
    tab: TweetTab;
    feed: Page<FeedItem>;
    pinned: FeedItem | undefined;
  },
) {
  const { words } = reader;
  const { user, profile, tab, feed, pinned } = shown;
  const title = `${user.fullname} (@${user.name})`;
  const description = profile.isBlocked ? "" : user.bio;
  const url = `${base}${profile.url}`;
  const path = tab === "tweets" ? profile.url : `${profile.url}/${tab}`;
  // A retweet of the pinned tweet stays: that is a different item.
  const items = feed.items.filter((one) => one.retweet || one.tweet.id !== pinned?.tweet.id);
  const tabs = [
    [profile.url, "profile.tweets"],
    [`${profile.url}/replies`, "profile.replies"],
    [`${profile.url}/likes`, "profile.likes"],
  ] as const;
  const empty = !profile.hasTweets || pinned ? undefined : emptyTexts[tab][profile.isMe ? 0 : 1];
  return {
    title,
    description,
    canonical: `${base}${path}`,
    alternates: user.protected ? undefined : feedAlternates(words, url, user.name),
    og: presentOpenGraph(words, { type: "profile", title, description, url }),
    profile,
    tabs: profile.hasTweets ? presentTabs(words, tabs, path) : undefined,
    editUrl: profile.isMe ? "/settings/profile" : undefined,
    reportUrl: profile.isMe ? undefined : `${profile.url}/report`,
    pinned: pinned && (await presentTweet(ctx, reader, pinned)),
    ...(await presentTweetList(ctx, reader, path, { ...feed, items }, empty)),
  };
}

const peopleLists = {
  followers: { title: "profile.followersOf", empty: "profile.noFollowers" },
  followings: { title: "profile.followingsOf", empty: "profile.noFollowings" },
} as const;
export type PeopleTab = keyof typeof peopleLists;

/** A profile's list of people. */
export async function presentFollows(
  ctx: Ctx,
  reader: Reader,
  user: User,
  tab: PeopleTab,
  page: Page<User>,
) {
  const { words } = reader;
  const { title, empty } = peopleLists[tab];
  const profile = presentName(user);
  const path = `${profile.url}/${tab}`;
  const tabs = [
    [`${profile.url}/followers`, "profile.followers"],
    [`${profile.url}/followings`, "profile.followings"],
  ] as const;
  return {
    title: words.t(title, { name: user.name }),
    profile,
    heading: words.t(`profile.${tab}`),
    tabs: presentTabs(words, tabs, path),
    ...(await presentPeopleList(ctx, reader, path, page, empty)),
  };
}
