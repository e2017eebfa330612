import { type Request, type Response, Router } from "express";
import type { Ctx } from "../../context.ts";
import { followersPage, followingsPage } from "../../domain/graph/follows.ts";
import { follow, unfollow } from "../../domain/actions/follow.ts";
import { likesFeed, repliesFeed, userFeed } from "../../domain/feeds/feeds.ts";
import { findPinned } from "../../domain/actions/pin-tweet.ts";
import type { FeedItem } from "../../domain/feeds/types.ts";
import { readPeople } from "../../domain/graph/people-lists.ts";
import { requireNotBlockedBy } from "../../domain/graph/relations.ts";
import { getAnyUserByName, getUserByName, type User } from "../../domain/users/store.ts";
import { buttonForm } from "../forms/accounts.ts";
import { readForm } from "../forms/form.ts";
import { readerOf, wordsOf } from "../middleware/language.ts";
import { limitAct } from "../middleware/limits.ts";
import { absoluteUrl } from "../middleware/locals.ts";
import { requireViewer } from "../middleware/session.ts";
import { feedAlternates } from "../present/alternates.ts";
import { presentOpenGraph } from "../present/open-graph.ts";
import { presentPeople } from "../present/people.ts";
import { presentProfile, type ProfileTab, profileTabs, tweetTabs } from "../present/profiles.ts";
import { presentSide } from "../present/side.ts";
import { presentTimeline, presentTweet } from "../present/timeline.ts";
import { presentPaging } from "../present/paging.ts";
import { renderTimeline } from "../render.ts";
import { acceptsStream, renderStream } from "../streams.ts";
import { beforeOf } from "./page-cursor.ts";

const peopleLists = {
  followers: { page: followersPage, title: "profile.followersOf", empty: "profile.noFollowers" },
  followings: {
    page: followingsPage,
    title: "profile.followingsOf",
    empty: "profile.noFollowings",
  },
} as const;

/** Lists of tweets, with the texts for an empty list: for the owner and for others. */
const tweetLists = {
  tweets: { feed: userFeed, empty: ["profile.noTweetsOfYours", "profile.noTweets"] },
  replies: { feed: repliesFeed, empty: ["profile.noTweetsOfYours", "profile.noTweets"] },
  likes: { feed: likesFeed, empty: ["profile.noLikesOfYours", "profile.noLikes"] },
} as const;

export function profilePages(ctx: Ctx): Router {
  const router = Router();
  const lookedUp = limitAct(ctx, "lookups");

  for (const tab of ["tweets", "replies", "likes"] as const)
    router.get(
      tab === "tweets" ? "/@:name" : `/@:name/${tab}`,
      lookedUp,
      async (req: Request, res: Response) =>
        showProfile(ctx, req, res, { user: await userOf(ctx, req), tab }),
    );
  for (const list of ["followers", "followings"] as const)
    router.get(`/@:name/${list}`, lookedUp, async (req: Request, res: Response) =>
      showPeople(ctx, req, res, await userOf(ctx, req), list),
    );

  router.post("/@:name/follow", limitAct(ctx, "follows"), async (req: Request, res: Response) => {
    const { id: follower } = requireViewer(res);
    const followee = await userOf(ctx, req);
    await follow(ctx, { follower, followee: followee.id });
    await answerFollow(ctx, req, res, followee);
  });

  router.post("/@:name/unfollow", async (req, res) => {
    const { id: follower } = requireViewer(res);
    const followee = await getAnyUserByName(ctx, req.params.name);
    await unfollow(ctx, { follower, followee: followee.id });
    await answerFollow(ctx, req, res, followee);
  });

  return router;
}

/** On the followed user's own pages, more than the button changes. */
async function answerFollow(ctx: Ctx, req: Request, res: Response, user: User): Promise<void> {
  const path = `/@${user.name}`;
  const next = readForm(buttonForm, req.body).next ?? path;
  const isAboutThem = /^[^/?#]*/.exec(next.slice(1))?.[0] === `@${user.name}`;
  const [person] =
    acceptsStream(req) && !isAboutThem ? await presentPeople(ctx, readerOf(res), [user]) : [];
  if (person === undefined) res.redirect(303, next);
  else {
    const targets = `form.follow[action^="${path}/"]`;
    renderStream(res, "profile/stream", { person, targets, here: next });
  }
}

/** Throws NotFound. */
async function userOf(ctx: Ctx, req: Request): Promise<User> {
  return await getUserByName(ctx, String(req.params["name"]));
}

async function showProfile(
  ctx: Ctx,
  req: Request,
  res: Response,
  { user, tab }: { user: User; tab: ProfileTab },
): Promise<void> {
  const { viewer, words } = readerOf(res);
  const before = beforeOf(req);
  const { feed: readTab, empty } = tweetLists[tab];
  const profile = await presentProfile(ctx, readerOf(res), user);
  const description = profile.isBlocked ? "" : user.bio;
  const title = `${user.fullname} (@${user.name})`;
  const base = absoluteUrl(ctx, req, "");
  const url = `${base}${profile.url}`;
  const path = tab === "tweets" ? profile.url : `${profile.url}/${tab}`;
  const feed = profile.isBlocked
    ? { items: [], older: undefined }
    : await readTab(ctx, user.id, { viewer, before });
  const isTop = tab === "tweets" && before === undefined && !profile.isBlocked;
  const pinned = isTop ? await findPinned(ctx, viewer, user) : undefined;
  const items = pinned ? feed.items.filter((item) => !isPinnedItem(item, pinned)) : feed.items;
  const isEmpty = feed.items.length === 0 && !pinned && !profile.isBlocked;
  renderTimeline(res, "profile/show", {
    page: {
      title: `${title} · Suzume`,
      description,
      canonical: absoluteUrl(ctx, req, path),
      path: profile.url,
      alternates: feedAlternates(wordsOf(res), url, user.name),
    },
    og: presentOpenGraph(wordsOf(res), base, { type: "profile", title, description, url }),
    profile,
    tabs: profile.isBlocked ? undefined : tweetTabs(words, user, tab),
    editUrl: profile.isMe ? "/settings/profile" : undefined,
    pinned: pinned && (await presentTweet(ctx, readerOf(res), pinned)),
    timeline: await presentTimeline(ctx, readerOf(res), items),
    side: await presentSide(ctx, readerOf(res)),
    reportUrl: profile.isMe ? undefined : `${profile.url}/report`,
    emptyMessage: isEmpty ? words.t(empty[profile.isMe ? 0 : 1]) : undefined,
    ...presentPaging(words, path, feed, before === undefined),
  });
}

/** A user's retweet of the pinned tweet is a different item. */
function isPinnedItem({ tweet, retweet }: FeedItem, pinned: FeedItem): boolean {
  return retweet === undefined && tweet.id === pinned.tweet.id;
}

async function showPeople(
  ctx: Ctx,
  req: Request,
  res: Response,
  user: User,
  list: keyof typeof peopleLists,
): Promise<void> {
  const { page, title, empty } = peopleLists[list];
  const before = beforeOf(req);
  const { viewer, words } = readerOf(res);
  await requireNotBlockedBy(ctx, viewer, user.id);
  const found = await readPeople(ctx, { viewer, before }, (range) => page(ctx, user.id, range));
  const path = `/@${user.name}/${list}`;
  res.render("profile/people", {
    page: { title: `${words.t(title, { name: user.name })} · Suzume`, path },
    profile: { name: user.name, fullname: user.fullname, url: `/@${user.name}` },
    heading: words.t(`profile.${list}`),
    tabs: profileTabs(words, user, list),
    people: await presentPeople(ctx, readerOf(res), found.items),
    side: await presentSide(ctx, readerOf(res)),
    emptyMessage: found.items.length === 0 ? words.t(empty) : undefined,
    ...presentPaging(words, path, found, before === undefined),
  });
}
