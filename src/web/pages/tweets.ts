import { type Request, type Response, Router } from "express";
import type { Ctx } from "../../context.ts";
import { NotFound } from "../../domain/errors.ts";
import { parseTweetId, type TweetId, type UserId } from "../../domain/ids.ts";
import type { Act } from "../../domain/limits.ts";
import { deleteTweet } from "../../domain/actions/delete-tweet.ts";
import { likeTweet, unlikeTweet } from "../../domain/actions/like.ts";
import { pinTweet, unpinTweet } from "../../domain/actions/pin-tweet.ts";
import { retweet, unretweet } from "../../domain/actions/retweet.ts";
import { findFeedItem, peopleWhoReacted } from "../../domain/feeds/thread.ts";
import { buttonForm } from "../forms/accounts.ts";
import { readForm, textsOf } from "../forms/form.ts";
import { returnPath } from "../forms/redirect-back.ts";
import { readerOf } from "../middleware/language.ts";
import { limitAct } from "../middleware/limits.ts";
import { requireViewer } from "../middleware/session.ts";
import { presentPaging } from "../present/paging.ts";
import { presentPeople } from "../present/people.ts";
import { presentSide } from "../present/side.ts";
import { presentTweet } from "../present/timeline.ts";
import { acceptsStream, renderStream } from "../streams.ts";
import { beforeOf } from "./page-cursor.ts";
import { showThread } from "./thread.ts";

const peopleLists = {
  likes: { heading: "tweet.likers", empty: "tweet.noLikers" },
  retweets: { heading: "tweet.retweeters", empty: "tweet.noRetweeters" },
} as const;

interface Verb {
  /** Act that is counted; absent for verbs that take something back. */
  act?: Act;
  run(ctx: Ctx, user: UserId, tweet: TweetId): Promise<unknown>;
}

/** Buttons of a tweet. */
const verbs: Readonly<Record<string, Verb>> = {
  like: { act: "reactions", run: likeTweet },
  unlike: { run: unlikeTweet },
  retweet: { act: "retweets", run: retweet },
  unretweet: { run: unretweet },
  pin: { act: "profile", run: pinTweet },
  unpin: { run: unpinTweet },
};

/** Verbs after which only the buttons change. */
const reactions = new Set(["like", "unlike", "retweet", "unretweet"]);

export function tweetPages(ctx: Ctx): Router {
  const router = Router();

  router.get("/tweets/:id", (req, res) => showThread(ctx, req, res, tweetIdOf(req)));
  for (const list of ["likes", "retweets"] as const)
    router.get(`/tweets/:id/${list}`, (req, res) => showPeople(ctx, req, res, list));

  router.post("/tweets/:id/delete", async (req, res) => {
    await deleteTweet(ctx, requireViewer(res).id, tweetIdOf(req));
    res.redirect(303, readForm(buttonForm, req.body).next ?? "/");
  });

  for (const [name, { act, run }] of Object.entries(verbs))
    router.post(`/tweets/:id/${name}`, limitAct(ctx, act), async (req: Request, res: Response) => {
      const id = tweetIdOf(req);
      const viewer = requireViewer(res);
      await run(ctx, viewer.id, id);
      if (reactions.has(name) && (await showReaction(ctx, req, res, id))) return;
      const at = parseTweetId(textsOf(req.query)["at"] ?? "") ?? id;
      res.redirect(303, `${returnPath(req, `/tweets/${id}`)}#tweet-${at}`);
    });

  return router;
}

/** Updates the buttons in the open page. False if the client needs a redirect instead. */
async function showReaction(ctx: Ctx, req: Request, res: Response, id: TweetId): Promise<boolean> {
  if (!acceptsStream(req)) return false;
  const item = await findFeedItem(ctx, requireViewer(res), id);
  const tweet = item && (await presentTweet(ctx, readerOf(res), item));
  if (item === undefined || tweet === undefined) return false;
  const actions = `form.tweet-actions[action^="${tweet.url}/"]`;
  const foot = `#tweet-${item.tweet.id}.tweet-large .tweet-foot`;
  renderStream(res, "tweets/stream", { tweet, targets: { actions, foot } });
  return true;
}

/** Throws NotFound if the parameter cannot be the id of a tweet. */
function tweetIdOf(req: Request): TweetId {
  const id = parseTweetId(String(req.params["id"]));
  if (id === undefined) throw new NotFound("tweet");
  return id;
}

async function showPeople(
  ctx: Ctx,
  req: Request,
  res: Response,
  list: keyof typeof peopleLists,
): Promise<void> {
  const { viewer, words } = readerOf(res);
  const before = beforeOf(req);
  const item = await findFeedItem(ctx, viewer, tweetIdOf(req));
  if (item === undefined) throw new NotFound("tweet");
  const { id } = item.tweet;
  const found = await peopleWhoReacted(ctx, list, id, { viewer, before });
  const heading = words.t(peopleLists[list].heading);
  const path = `/tweets/${id}/${list}`;
  res.render("tweets/people", {
    page: { title: `${heading} · Suzume`, path },
    heading,
    tweetUrl: `/tweets/${id}`,
    people: await presentPeople(ctx, readerOf(res), found.items),
    side: await presentSide(ctx, readerOf(res)),
    emptyMessage: found.items.length === 0 ? words.t(peopleLists[list].empty) : undefined,
    ...presentPaging(words, path, found, before === undefined),
  });
}
