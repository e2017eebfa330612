import type { Request, RequestHandler, Response, Router } from "express";
import type { Ctx } from "../../../context.ts";
import { acceptRequest, endRequest, changeFollowOptions } from "../../../domain/actions/follow.ts";
import { findPinned } from "../../../domain/actions/pin-tweet.ts";
import { accountVerbs } from "../../../domain/actions/verbs.ts";
import { likesFeed, repliesFeed, userFeed } from "../../../domain/feeds/feeds.ts";
import {
  followersPage,
  followingsPage,
  type FollowOptions,
} from "../../../domain/graph/follows.ts";
import { readPeople } from "../../../domain/graph/people-lists.ts";
import { requireNotBlockedBy } from "../../../domain/graph/relations.ts";
import type { UserId } from "../../../domain/ids.ts";
import type { CountedVerb } from "../../../domain/limit-classes.ts";
import type { Range } from "../../../domain/page.ts";
import { getAnyUserByName, getUserByName, type User } from "../../../domain/users/store.ts";
import { muteForm } from "./menu-view.ts";
import { nextOf, readForm } from "../../layout/form.ts";
import { readerOf, requireViewer } from "../../request/reader.ts";
import { limitVerb } from "../../request/limits.ts";
import { presentPeople } from "../../layout/people.ts";
import {
  type PeopleTab,
  presentFollows,
  presentProfile,
  presentProfilePage,
  type TweetTab,
} from "./view.ts";
import { acceptsStream, renderFeed, renderStream } from "../../server/render.ts";
import { siteUrl } from "../../server/send-public.ts";

const tweetLists = { tweets: userFeed, replies: repliesFeed, likes: likesFeed } as const;
const peopleLists = { followers: followersPage, followings: followingsPage } as const;

/** Verbs of a profile's buttons. Those that are not counted take something back. */
interface Button {
  counts?: CountedVerb;
  run: (ctx: Ctx, viewer: UserId, other: UserId, body: unknown) => Promise<unknown>;
}

const daySeconds = 24 * 60 * 60;
const { follow, block, mute } = accountVerbs;

const buttons: Readonly<Record<string, Button>> = {
  follow: { counts: "follow", run: follow.run },
  unfollow: { run: follow.undo },
  // The other asks to follow, or follows, the viewer.
  accept: {
    counts: "follow",
    run: (ctx, followee, follower) => acceptRequest(ctx, { follower, followee }),
  },
  decline: { run: (ctx, followee, follower) => endRequest(ctx, { follower, followee }) },
  "remove-follower": { run: (ctx, viewer, other) => follow.undo(ctx, other, viewer) },
  "hide-retweets": { counts: "follow", run: chooses({ retweets: false }) },
  "show-retweets": { counts: "follow", run: chooses({ retweets: true }) },
  notify: { counts: "follow", run: chooses({ notify: true }) },
  unnotify: { run: chooses({ notify: false }) },
  mute: {
    counts: "mute",
    async run(ctx, muter, muted, body) {
      const { duration: days } = readForm(muteForm, body);
      await mute.run(ctx, muter, muted, days === undefined ? undefined : days * daySeconds);
    },
  },
  unmute: { run: mute.undo },
  block: { counts: "block", run: block.run },
  unblock: { run: block.undo },
};

function chooses(options: Partial<FollowOptions>): Button["run"] {
  return (ctx, follower, followee) => changeFollowOptions(ctx, { follower, followee }, options);
}

/** Verbs after which only the button changes, unless the page is the user's own. */
const follows = new Set(["follow", "unfollow"]);

export function profilePages(router: Router, ctx: Ctx): void {
  const lookedUp = limitVerb(ctx, "view");

  for (const tab of ["tweets", "replies", "likes"] as const)
    router.get(tab === "tweets" ? "/@:name" : `/@:name/${tab}`, lookedUp, showProfile(ctx, tab));
  for (const tab of ["followers", "followings"] as const)
    router.get(`/@:name/${tab}`, lookedUp, showPeople(ctx, tab));

  for (const [name, { counts, run }] of Object.entries(buttons))
    router.post(`/@:name/${name}`, limitVerb(ctx, counts), async (req: Request, res: Response) => {
      const { id } = requireViewer(res);
      // What was done can be taken back even if the user is suspended.
      const find = counts === undefined ? getAnyUserByName : getUserByName;
      const user = await find(ctx, nameOf(req));
      await run(ctx, id, user.id, req.body);
      if (follows.has(name) && (await showButton(ctx, req, res, user))) return;
      res.redirect(303, nextOf(req) ?? `/@${user.name}`);
    });
}

function nameOf(req: Request): string {
  return String(req.params["name"]);
}

function showProfile(ctx: Ctx, tab: TweetTab): RequestHandler {
  return async (req, res) => {
    const name = nameOf(req);
    const site = siteUrl(ctx, req);
    await renderFeed(res, "profile/show", readerOf(res), async (reader) => {
      const { viewer, before, kept } = reader;
      const user = await getUserByName(ctx, name);
      const profile = await presentProfile(ctx, reader, user);
      const feed = profile.hasTweets
        ? await tweetLists[tab](ctx, user.id, { viewer, before, kept })
        : { items: [], older: undefined };
      const isTop = tab === "tweets" && before === undefined && profile.hasTweets;
      const pinned = isTop ? await findPinned(ctx, viewer, user) : undefined;
      return await presentProfilePage(ctx, reader, site, { user, profile, tab, feed, pinned });
    });
  };
}

function showPeople(ctx: Ctx, tab: PeopleTab): RequestHandler {
  return async (req, res) => {
    const reader = readerOf(res);
    const { viewer, before } = reader;
    const user = await getUserByName(ctx, nameOf(req));
    await requireNotBlockedBy(ctx, viewer, user.id);
    const read = (range: Range) => peopleLists[tab](ctx, user.id, range);
    const page = await readPeople(ctx, { viewer, before }, read);
    res.render("profile/people", await presentFollows(ctx, reader, user, tab, page));
  };
}

/** Updates the button in the open page. False if the client needs a redirect instead. */
async function showButton(ctx: Ctx, req: Request, res: Response, user: User): Promise<boolean> {
  const path = `/@${user.name}`;
  const here = nextOf(req) ?? path;
  // On the user's own pages more than the button changes.
  const isOwn = /^[^/?#]*/.exec(here.slice(1))?.[0] === `@${user.name}`;
  if (isOwn || !acceptsStream(req)) return false;
  const [person] = await presentPeople(ctx, readerOf(res), [user]);
  if (person === undefined) return false;
  renderStream(res, "profile/stream", { person, targets: `form.follow[action^="${path}/"]`, here });
  return true;
}
