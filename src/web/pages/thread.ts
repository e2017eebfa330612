import type { Request, Response } from "express";
import type { Ctx } from "../../context.ts";
import { NotFound, type Problems } from "../../domain/errors.ts";
import type { TweetId } from "../../domain/ids.ts";
import { ancestorsOf, findFeedItem, repliesTo } from "../../domain/feeds/thread.ts";
import type { FeedItem } from "../../domain/feeds/types.ts";
import { freshNonce, showComposer } from "../forms/tweets.ts";
import type { Translator } from "../languages/translator.ts";
import { readerOf, wordsOf } from "../middleware/language.ts";
import { absoluteUrl } from "../middleware/locals.ts";
import { viewerOf } from "../middleware/session.ts";
import { embedAlternates } from "../present/alternates.ts";
import { presentOpenGraph } from "../present/open-graph.ts";
import { presentPaging } from "../present/paging.ts";
import type { Sentence, SentencePart } from "../present/sentences.ts";
import { presentSide } from "../present/side.ts";
import { presentTimeline, presentTweet } from "../present/timeline.ts";
import type { TweetView } from "../present/tweets.ts";
import { renderTimeline } from "../render.ts";
import { beforeOf } from "./page-cursor.ts";

/** The input of the reply form and its problems. */
export interface Typed {
  typed: Record<string, string | undefined>;
  problems: Problems;
}

/** A tweet with its ancestors and replies. Throws NotFound. */
export async function showThread(
  ctx: Ctx,
  req: Request,
  res: Response,
  id: TweetId,
  again?: Typed,
): Promise<void> {
  const viewer = viewerOf(res);
  const before = beforeOf(req);
  const item = await findFeedItem(ctx, viewer, id);
  if (item === undefined) throw new NotFound("tweet");
  const { tweet: original } = item;
  if (item.retweet !== undefined && again === undefined) {
    res.redirect(303, `/tweets/${original.id}`);
    return;
  }
  const [tweet, ancestors, replies] = await Promise.all([
    presentTweet(ctx, readerOf(res), item),
    ancestorsOf(ctx, viewer, original),
    repliesTo(ctx, original.id, { viewer, before }),
  ]);
  if (tweet === undefined) throw new NotFound("author");
  const values = again?.typed ?? { reply_to: original.id, ...freshNonce() };
  const base = absoluteUrl(ctx, req, "");
  renderTimeline(res, "tweets/show", {
    ...presentHead(wordsOf(res), base, tweet, original.text),
    tweet,
    ancestors: await Promise.all(ancestors.items.map((above) => presentAbove(ctx, res, above))),
    earlierUrl: ancestors.earlier === undefined ? undefined : `/tweets/${ancestors.earlier}`,
    logInToReply: viewer === undefined ? presentLogIn(wordsOf(res), tweet) : undefined,
    composer: viewer && showComposer(wordsOf(res), viewer.name, values, again?.problems),
    timeline: await presentTimeline(ctx, readerOf(res), replies.items),
    side: await presentSide(ctx, readerOf(res)),
    ...presentPaging(wordsOf(res), tweet.url, replies, before === undefined),
  });
}

/** Metadata for browsers, search engines and link previews. */
function presentHead(
  words: Translator,
  base: string,
  { url: path, author }: TweetView,
  description: string,
) {
  const title = `${author.fullname} (@${author.name})`;
  const url = `${base}${path}`;
  return {
    page: {
      title: `${title} · Suzume`,
      description,
      canonical: url,
      path,
      alternates: embedAlternates(base, url),
    },
    og: presentOpenGraph(words, base, { type: "article", title, description, url }),
  };
}

/** Shown to signed-out readers in place of the reply form. */
function presentLogIn(words: Translator, { url }: TweetView): Sentence {
  const login = {
    text: words.t("thread.logIn"),
    href: `/login?next=${encodeURIComponent(url)}`,
  };
  return words.pieces<SentencePart>("thread.logInToReply", { login });
}

async function presentAbove(ctx: Ctx, res: Response, item: FeedItem | undefined) {
  return item === undefined ? undefined : await presentTweet(ctx, readerOf(res), item);
}
