import type { Ctx } from "../../../context.ts";
import { replyRule } from "../../../domain/actions/who-may-reply.ts";
import { NotFound, type Problem } from "../../../domain/errors.ts";
import { type Conversation, conversationBelow } from "../../../domain/feeds/conversation.ts";
import { type Ancestor, ancestorsOf } from "../../../domain/feeds/thread.ts";
import type { FeedItem } from "../../../domain/feeds/types.ts";
import type { Viewer } from "../../../domain/graph/relations.ts";
import { mutedConversations } from "../../../domain/notifications/muted-conversations.ts";
import type { Stamp } from "../../../domain/ids.ts";
import {
  mentionsOrAnswers,
  openPictures,
  shownFirst,
  type Tweet,
} from "../../../domain/tweets/tweet.ts";
import { findUser } from "../../../domain/users/store.ts";
import type { Reader, Translator } from "../../languages/translator.ts";
import { presentButton } from "../../layout/people.ts";
import { embedAlternates, presentOpenGraph } from "../../layout/branding.ts";
import { pictureUrl, presentPictures } from "../../layout/pictures.ts";
import { presentSide } from "../../layout/side.ts";
import { viewOf } from "../../layout/templates.ts";
import { presentText } from "../../layout/text.ts";
import { presentTime } from "../../layout/time.ts";
import { presentItems, presentTweet } from "../../layout/timeline.ts";
import { foreignTo, openUrl } from "../../layout/tweet.ts";
import type { ComposerView } from "./form.ts";

/**
 * A tweet with its ancestors and replies. `base` is the URL of the site; without a composer, why there is none, or a
 * link to the log-in page. Throws NotFound if the author is gone.
 */
export async function presentThread(
  ctx: Ctx,
  reader: Reader,
  base: string,
  item: FeedItem,
  { composer, problem }: { composer: ComposerView | undefined; problem: Problem | undefined },
  after: Stamp | undefined,
) {
  const { viewer, words } = reader;
  const { tweet: original } = item;
  const [tweet, muting, ancestors, conversation] = await Promise.all([
    presentTweet(ctx, reader, item),
    presentMuting(ctx, reader, original),
    ancestorsOf(ctx, viewer, original),
    conversationBelow(ctx, original.id, { viewer, from: after, kept: reader.kept }),
  ]);
  if (tweet === undefined) throw new NotFound("author");
  const logInPath = `/login?next=${encodeURIComponent(tweet.url)}`;
  const login = { text: words.t("thread.logIn"), href: logInPath };
  const title = `${tweet.author.fullname} (@${tweet.author.name})`;
  const description = shownFirst(original);
  const url = `${base}${tweet.url}`;
  // Other sites are told of what everyone may see.
  const isPublic = tweet.quoteUrl !== undefined;
  return {
    title,
    description,
    canonical: url,
    alternates: isPublic ? embedAlternates(base, url) : [],
    og: presentOpenGraph(words, {
      type: "article",
      title,
      description,
      url,
      picture: isPublic ? previewOf(original, base) : undefined,
    }),
    tweet: { ...tweet, muting },
    ancestors: await Promise.all(ancestors.items.map((one) => presentAncestor(ctx, reader, one))),
    earlierUrl: ancestors.earlier === undefined ? undefined : `/tweets/${ancestors.earlier}`,
    composer,
    // A limit above may be of a tweet that is hidden from the viewer: it names nobody.
    noReply: viewer
      ? words.pieces(problem === "reply.limitedAbove" ? "thread.limitedAbove" : "thread.limited", {
          name: tweet.author.name,
        })
      : words.pieces("thread.logInToReply", { login }),
    timeline: await presentConversation(ctx, reader, conversation),
    side: await presentSide(ctx, reader),
    first: after === undefined ? undefined : tweet.url,
    next: conversation.next && `${tweet.url}?after=${conversation.next}`,
    live: presentLive(reader, original, conversation),
  };
}

/** A tweet with its author, and whether the viewer may answer it. Undefined if the author is gone. */
export async function answerableFor(ctx: Ctx, viewer: Viewer, tweet: Tweet) {
  const [author, rule] = await Promise.all([
    findUser(ctx, tweet.author),
    replyRule(ctx, viewer.id, tweet),
  ]);
  return author && { tweet, author, ...rule };
}

/** A tweet above, or what stands in its place. */
async function presentAncestor(ctx: Ctx, reader: Reader, above: Ancestor) {
  const view = typeof above === "string" ? undefined : await presentTweet(ctx, reader, above);
  return view ?? { gone: reader.words.t(above === "closed" ? "thread.hidden" : "thread.gone") };
}

/** The button that mutes the conversation, for a viewer who may be notified of its answers. */
async function presentMuting(ctx: Ctx, { viewer, words }: Reader, tweet: Tweet) {
  if (viewer === undefined) return undefined;
  const isMuted = (await mutedConversations(ctx, viewer, [tweet]))(tweet.id);
  if (isMuted)
    return presentButton(words, `/tweets/${tweet.id}/unmute`, "tweet.unmuteConversation", true);
  return tweet.author === viewer.id || mentionsOrAnswers(tweet, viewer.id)
    ? presentButton(words, `/tweets/${tweet.id}/mute`, "tweet.muteConversation", false)
    : undefined;
}

/** The first picture, unless it is behind a cover. */
function previewOf(tweet: Tweet, base: string) {
  const [first] = openPictures(tweet);
  if (first === undefined) return undefined;
  const { file, width, height } = first.small;
  return { src: `${base}${pictureUrl(file)}`, width, height, alt: first.description };
}

/** List items: replies, the answers to them, and links to further answers. */
async function presentConversation(ctx: Ctx, reader: Reader, { chains }: Conversation) {
  const items = chains.flatMap(({ reply, answers }) => [reply, ...answers]);
  const below = new Set(chains.flatMap(({ answers }) => answers));
  const rendered = await presentItems(ctx, reader, items, below);
  const shown = new Map(items.map((item, index) => [item, rendered[index]]));
  const label = reader.words.t("thread.more");
  const view = viewOf(ctx.config, "tweets/more");
  return chains.flatMap(({ reply, answers, more }) => [
    ...[reply, ...answers].flatMap((item) => shown.get(item) ?? []),
    ...(more === undefined ? [] : [Buffer.from(view({ href: openUrl(more), label }))]),
  ]);
}

/** Where public/js/live.js looks for newer replies and answers; undefined if there are more to read already. */
function presentLive(
  { late = String }: Reader,
  { id, createdAt }: Tweet,
  { chains, next }: Conversation,
) {
  if (next !== undefined) return undefined;
  const shown = chains.flatMap(({ reply, answers }) => [reply, ...answers]);
  const newest = Math.max(createdAt, ...shown.map(({ stamp }) => stamp));
  return { thread: id, after: late(newest, "after") };
}

/** Versions of a tweet, the newest first. */
export function presentHistory(
  ctx: Ctx,
  words: Translator,
  tweet: Tweet,
  versions: readonly Tweet[],
) {
  // An import keeps the mark only; who is mentioned by an edit sees nothing from before.
  const isWhole = tweet.editedAt === undefined || versions.length > 1;
  const last = isWhole ? versions.length - 1 : Infinity;
  return {
    title: words.t("edit.history"),
    tweetUrl: `/tweets/${tweet.id}`,
    note: isWhole ? undefined : words.t("edit.elsewhere"),
    versions: versions.map((version, nth) => ({
      isOriginal: nth === last,
      isCurrent: nth === 0,
      number: String(versions.length - nth),
      ...presentTime(words, version.createdAt, ctx.now()),
      warning: version.warning,
      lang: foreignTo(words, version),
      parts: presentText(version.text, version.mentions),
      pictures: picturesOf(words, version),
    })),
  };
}

/** Only the pictures that the tweet has now have a page of their own; here each leads to its file. */
function picturesOf(words: Translator, version: Tweet) {
  const view = presentPictures(words, version);
  return (
    view && {
      ...view,
      items: view.items.map((item, nth) => {
        const file = version.pictures?.[nth]?.large.file;
        return file === undefined ? item : { ...item, href: pictureUrl(file) };
      }),
    }
  );
}
