import type { Ctx } from "../../context.ts";
import { NotFound } from "../../domain/errors.ts";
import { ancestorsOf, repliesTo } from "../../domain/feeds/thread.ts";
import type { FeedItem } from "../../domain/feeds/types.ts";
import type { Tweet } from "../../domain/tweets/tweet.ts";
import type { ComposerView } from "../forms/tweets.ts";
import type { Reader, Translator } from "../languages/translator.ts";
import type { Sentence } from "./controls.ts";
import { embedAlternates, presentOpenGraph } from "./head.ts";
import { presentTweetList } from "./lists.ts";
import { pictureUrl } from "./pictures.ts";
import { presentTweet } from "./timeline.ts";
import type { TweetView } from "./tweets.ts";

/**
 * A tweet with its ancestors and replies. `base` is the URL of the site; without a composer, a link to
 * the log-in page is shown. Throws NotFound if the author is gone.
 */
export async function presentThread(
  ctx: Ctx,
  reader: Reader,
  base: string,
  item: FeedItem,
  composer: ComposerView | undefined,
) {
  const { viewer, words, before } = reader;
  const { tweet: original } = item;
  const [tweet, ancestors, replies] = await Promise.all([
    presentTweet(ctx, reader, item),
    ancestorsOf(ctx, viewer, original),
    repliesTo(ctx, original.id, { viewer, before }),
  ]);
  if (tweet === undefined) throw new NotFound("author");
  const title = `${tweet.author.fullname} (@${tweet.author.name})`;
  const description = original.text;
  const url = `${base}${tweet.url}`;
  return {
    title,
    description,
    canonical: url,
    alternates: embedAlternates(base, url),
    og: presentOpenGraph(words, {
      type: "article",
      title,
      description,
      url,
      picture: previewOf(original, base),
    }),
    tweet,
    ancestors: await Promise.all(
      ancestors.items.map(async (above) => above && (await presentTweet(ctx, reader, above))),
    ),
    earlierUrl: ancestors.earlier === undefined ? undefined : `/tweets/${ancestors.earlier}`,
    composer,
    logInToReply: composer === undefined ? presentLogIn(words, tweet) : undefined,
    ...(await presentTweetList(ctx, reader, tweet.url, replies)),
  };
}

/** The first picture, unless it is behind a cover. */
function previewOf({ pictures: [first] = [], sensitive }: Tweet, base: string) {
  if (first === undefined || sensitive === true) return undefined;
  const { file, width, height } = first.small;
  return { src: `${base}${pictureUrl(file)}`, width, height, alt: first.description };
}

/** Shown to signed-out readers in place of the reply form. */
function presentLogIn(words: Translator, { url }: TweetView): Sentence {
  const href = `/login?next=${encodeURIComponent(url)}`;
  return words.pieces("thread.logInToReply", { login: { text: words.t("thread.logIn"), href } });
}
