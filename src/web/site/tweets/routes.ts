import { randomUUID } from "node:crypto";
import type { Request, RequestHandler, Response, Router } from "express";
import type { Ctx } from "../../../context.ts";
import { type Problems, required } from "../../../domain/errors.ts";
import { parseTweetId, type TweetId, type UserId } from "../../../domain/ids.ts";
import { answerProblem } from "../../../domain/actions/addressees.ts";
import { postTweet } from "../../../domain/actions/post-tweet.ts";
import { tweetVerbs } from "../../../domain/actions/verbs.ts";
import { vote } from "../../../domain/actions/vote.ts";
import { repliesShown } from "../../../domain/feeds/conversation.ts";
import { findFeedItem, getFeedItem, peopleWhoReacted } from "../../../domain/feeds/thread.ts";
import type { FeedItem } from "../../../domain/feeds/types.ts";
import { pathOfMessage } from "../../../domain/messages/people.ts";
import { audienceOf } from "../../../domain/tweets/audience.ts";
import { readCounts } from "../../../domain/tweets/reactions.ts";
import { choiceNumber } from "../../../domain/tweets/poll.ts";
import { choicesFor } from "../../layout/audience.ts";
import { readCursor, readForm, returnPath, textsOf } from "../../layout/form.ts";
import { showComposer, tweetForm, voteForm } from "./form.ts";
import { readerOf, requireViewer, viewerOf } from "../../request/reader.ts";
import { countVerb, limitVerb } from "../../request/limits.ts";
import { onRefusal } from "../../request/refusals.ts";
import { keepPictures, keptIn, receivePictures } from "../../request/pictures.ts";
import type { Reader } from "../../languages/translator.ts";
import { presentPeopleList } from "../../layout/paging.ts";
import { presentPicture } from "../../layout/pictures.ts";
import { answerableFor, presentThread } from "./view.ts";
import { presentTweet } from "../../layout/timeline.ts";
import { openUrl } from "../../layout/tweet.ts";
import { acceptsStream, renderFeed, renderStream, renderTimeline } from "../../server/render.ts";
import { siteUrl } from "../../server/send-public.ts";
import { actionsOf, deletionPages, editPages, listBefore, tweetIdOf } from "./edit-routes.ts";
import { composerOptions, inputOf, showHome } from "../home/routes.ts";

const peopleLists = {
  likes: { heading: "tweet.likers", empty: "tweet.noLikers" },
  retweets: { heading: "tweet.retweeters", empty: "tweet.noRetweeters" },
} as const;

/** Verbs after which only the buttons change. */
const reactions: ReadonlySet<string> = new Set(["like", "retweet", "bookmark"]);

export function tweetPages(router: Router, ctx: Ctx): void {
  const composeAgain = onRefusal((req, res, problems) => showAgain(ctx, req, res, problems));
  const limited = limitVerb(ctx, "tweet");

  router.post("/tweets", composeAgain, receivePictures(), limited, async (req, res) => {
    const author = requireViewer(res);
    const typed = readForm(tweetForm, req.body);
    // Pictures come first: a refused form keeps them.
    const pictures = await keepPictures(ctx, req, res);
    const input = inputOf(ctx, res, typed);
    const tweet = await postTweet(ctx, author.id, {
      ...input,
      nonce: typed.nonce,
      pictures,
      charge: (points) => countVerb(ctx, req, res, "mention", points),
    });
    const { audience, replyTo } = input;
    const page = audience === "mentioned" ? await pathOfMessage(ctx, tweet) : "/";
    res.redirect(303, replyTo === undefined ? page : await pageWith(ctx, tweet, replyTo));
  });
  router.post("/tweets/:id/vote", limitVerb(ctx, "vote"), async (req, res) => {
    const id = tweetIdOf(req);
    const { choice } = readForm(voteForm, req.body);
    await vote(ctx, requireViewer(res).id, id, choice.map(choiceNumber));
    if (await showReaction(ctx, req, res, id)) return;
    res.redirect(303, pageAfter(req, id, returnPath(req, `/tweets/${id}`)));
  });

  router.get("/tweets/:id", async (req, res) => {
    const item = await getFeedItem(ctx, viewerOf(res), tweetIdOf(req));
    const { id } = item.tweet;
    if (item.retweet !== undefined) res.redirect(303, `/tweets/${id}`);
    else {
      if (audienceOf(item.tweet) !== "public") res.setHeader("X-Robots-Tag", "noindex");
      await showThread(ctx, req, res, item, { reply_to: id });
    }
  });
  router.get("/tweets/:id/pictures/:number", async (req, res) => {
    const { tweet } = await getFeedItem(ctx, viewerOf(res), tweetIdOf(req));
    const number = Number(/^[1-4]$/.exec(req.params.number)?.[0]);
    const view = required(presentPicture(readerOf(res).words, tweet, number), "picture");
    res.render("tweets/picture", view);
  });
  for (const list of ["likes", "retweets"] as const)
    router.get(`/tweets/:id/${list}`, (req, res) => showPeople(ctx, req, res, list));

  editPages(router, ctx);
  deletionPages(router, ctx);

  for (const name of Object.keys(tweetVerbs) as (keyof typeof tweetVerbs)[]) {
    const { run, undo } = tweetVerbs[name];
    router.post(`/tweets/:id/${name}`, limitVerb(ctx, name), press(ctx, name, run));
    router.post(`/tweets/:id/un${name}`, press(ctx, name, undo));
  }
}

/** Runs what a button of a tweet does, and shows the page again. */
function press(
  ctx: Ctx,
  name: string,
  run: (ctx: Ctx, user: UserId, tweet: TweetId) => Promise<unknown>,
): RequestHandler {
  return async (req, res) => {
    const id = tweetIdOf(req);
    await run(ctx, requireViewer(res).id, id);
    if (reactions.has(name) && (await showReaction(ctx, req, res, id))) return;
    // The mute button shares its form with delete, so `next` belongs to delete.
    const page = name === "mute" ? `/tweets/${id}` : returnPath(req, `/tweets/${id}`);
    res.redirect(303, pageAfter(req, id, page));
  };
}

/** The page, at the tweet or at the retweet whose button was pressed. */
function pageAfter(req: Request, id: TweetId, page: string): string {
  return `${page}#tweet-${parseTweetId(textsOf(req.query)["at"] ?? "") ?? id}`;
}

/** A page that shows a new reply: of the answered tweet, unless it has more replies than fit. */
async function pageWith(ctx: Ctx, reply: TweetId, replyTo: TweetId): Promise<string> {
  const counts = await readCounts(ctx, [replyTo]);
  const isFull = (counts.get(replyTo)?.replies ?? 0) > repliesShown;
  return isFull ? openUrl(reply) : `/tweets/${replyTo}#tweet-${reply}`;
}

/** The composer as it was typed: under the tweet it replies to or, if it cannot reply to that, on the home page. */
export async function showAgain(ctx: Ctx, req: Request, res: Response, problems: Problems) {
  const texts = textsOf(req.body);
  const typed = { ...texts, uploads: keptIn(req).join(" ") };
  const replyTo = parseTweetId(texts["reply_to"] ?? "");
  const viewer = requireViewer(res);
  const isLost = (await answerProblem(ctx, viewer.id, replyTo)) !== undefined;
  const item = replyTo && !isLost ? await findFeedItem(ctx, viewer, replyTo) : undefined;
  if (item !== undefined) return await showThread(ctx, req, res, item, typed, problems);
  // An answer to a message comes without an audience, and a form of too many files may have lost it. It must not be for everyone.
  const isUnknown = replyTo !== undefined || "pictures" in problems;
  const audience = texts["audience"] ?? (isUnknown ? "mentioned" : undefined);
  await showHome(ctx, res, { ...typed, audience, reply_to: undefined }, problems);
}

/** A tweet with its ancestors and replies, and the composer's input with its problems. */
async function showThread(
  ctx: Ctx,
  req: Request,
  res: Response,
  item: FeedItem,
  typed: Record<string, string | undefined>,
  problems?: Problems,
): Promise<void> {
  const after = readCursor(req.query["after"]);
  const site = siteUrl(ctx, req);
  const make = async (reader: Reader) => {
    const { viewer, words, late = String } = reader;
    const answered = viewer && (await answerableFor(ctx, viewer, item.tweet));
    const isOpen = answered !== undefined && answered.problem === undefined;
    const options =
      viewer && isOpen && (await composerOptions(ctx, viewer, choicesFor(viewer, answered)));
    const fields = { nonce: late(randomUUID(), "nonce"), ...typed };
    const composer = options ? showComposer(words, options, fields, problems) : undefined;
    const reply = { composer, problem: answered?.problem };
    return await presentThread(ctx, reader, site, item, reply, after);
  };
  const from = listBefore(req, item.tweet.id);
  if (from === undefined) return await renderFeed(res, "tweets/show", readerOf(res), make);
  const view = await make(readerOf(res));
  const tweet = { ...view.tweet, nextAfterDelete: from };
  await renderTimeline(res, "tweets/show", { ...view, tweet }, { isKept: false });
}

/** The users who liked or retweeted a tweet. */
async function showPeople(ctx: Ctx, req: Request, res: Response, list: keyof typeof peopleLists) {
  const reader = readerOf(res);
  const { viewer, words, before } = reader;
  const { id } = (await getFeedItem(ctx, viewer, tweetIdOf(req))).tweet;
  const page = await peopleWhoReacted(ctx, list, id, { viewer, before });
  const { heading, empty } = peopleLists[list];
  const tweetUrl = `/tweets/${id}`;
  res.render("tweets/people", {
    title: words.t(heading),
    tweetUrl,
    ...(await presentPeopleList(ctx, reader, `${tweetUrl}/${list}`, page, empty)),
  });
}

/** Updates the buttons and the poll in the open page. False if the client needs a redirect instead. */
async function showReaction(ctx: Ctx, req: Request, res: Response, id: TweetId): Promise<boolean> {
  if (!acceptsStream(req)) return false;
  const item = await findFeedItem(ctx, requireViewer(res), id);
  const tweet = item && (await presentTweet(ctx, readerOf(res), item));
  if (item === undefined || tweet === undefined) return false;
  const actions = actionsOf(tweet.url);
  const foot = `#tweet-${item.tweet.id}.tweet-large .tweet-foot`;
  const poll = `form.poll[action^="${tweet.url}/"]`;
  renderStream(res, "tweets/stream", { tweet, targets: { actions, foot, poll } });
  return true;
}
