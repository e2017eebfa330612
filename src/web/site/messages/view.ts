import type { Ctx } from "../../../context.ts";
import type { FeedItem } from "../../../domain/feeds/types.ts";
import type { Conversation, ConversationItem } from "../../../domain/messages/conversations.ts";
import { conversationPath } from "../../../domain/messages/people.ts";
import type { Page } from "../../../domain/page.ts";
import { shownFirst } from "../../../domain/tweets/tweet.ts";
import type { User } from "../../../domain/users/store.ts";
import type { SignedInReader, Translator } from "../../languages/translator.ts";
import { presentPaging, presentTweetList } from "../../layout/paging.ts";
import { listIn, presentButton, presentName, type Sentence } from "../../layout/people.ts";
import { presentSide } from "../../layout/side.ts";
import { clip } from "../../layout/text.ts";
import { presentTime } from "../../layout/time.ts";
import { foreignTo } from "../../layout/tweet.ts";
import type { ComposerView } from "../tweets/form.ts";

const facesShown = 3;
/** Max characters of an excerpt. */
const excerptLimit = 140;

/** A list of conversations; `path` is that of the page. */
export async function presentConversations(
  ctx: Ctx,
  reader: SignedInReader,
  path: "/messages" | "/messages/requests",
  page: Page<ConversationItem>,
) {
  const isMain = path === "/messages";
  const now = ctx.now();
  return {
    title: reader.words.t(isMain ? "nav.messages" : "messages.requests"),
    conversations: page.items.map((one) => presentRow(reader, one, now)),
    side: await presentSide(ctx, reader),
    ...presentPaging(reader, path, page, isMain ? "messages.empty" : "messages.noRequests"),
  };
}

function presentRow(
  { viewer, words }: SignedInReader,
  { id, people, item: { tweet, warnings }, unread }: ConversationItem,
  now: number,
) {
  const shown = people.length === 0 ? [viewer] : people;
  const text = warnings
    ? words.t("tweet.filtered", { title: warnings.join(", ") })
    : clip(shownFirst(tweet), excerptLimit) || words.t("messages.pictures");
  return {
    href: conversationPath(id),
    unread,
    faces: shown.slice(0, facesShown).map(presentName),
    names: namesOf(words, shown),
    excerpt: text,
    lang: foreignTo(words, tweet),
    isOwn: tweet.author === viewer.id,
    ...presentTime(words, tweet.createdAt, now),
  };
}

/** A conversation with its composer, newest message first. */
export async function presentConversation(
  ctx: Ctx,
  reader: SignedInReader,
  { id, people, hidden, isRequest, hasLeft }: Conversation,
  feed: Page<FeedItem>,
  composer: ComposerView,
) {
  const { viewer, words, before } = reader;
  const path = conversationPath(id);
  const shown = people.length === 0 ? [viewer] : people;
  const button = (verb: "accept" | "leave", label: "accept" | "leave" | "rejoin" = verb) =>
    presentButton(words, `${path}/${verb}`, `messages.${label}`, false);
  return {
    title: listIn(words).format(shown.map(({ fullname }) => fullname)),
    names: namesOf(words, shown),
    people: shown.map(presentName),
    hidden: hidden.map(({ name }) => name),
    composer,
    request: isRequest ? button("accept") : undefined,
    rejoin: hasLeft ? button("accept", "rejoin") : undefined,
    leave: hasLeft || feed.items.length === 0 ? undefined : button("leave"),
    ...(await presentTweetList(ctx, reader, path, feed)),
    live: before === undefined ? { conversation: id, after: feed.items[0]?.stamp ?? 0 } : undefined,
  };
}

/** Full names with what the language has between them. */
function namesOf(words: Translator, people: User[]): Sentence {
  const parts = listIn(words).formatToParts(people.map(({ fullname }) => fullname));
  return parts.map(({ type, value }) => (type === "element" ? { name: value } : value));
}
