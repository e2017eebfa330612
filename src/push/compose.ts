import type { Ctx } from "../context.ts";
import { notificationId, typeOf } from "../domain/notifications/api-names.ts";
import type { NotificationItem } from "../domain/notifications/single.ts";
import type { Subscription } from "../domain/push/subscription.ts";
import { conversationOf, conversationPath } from "../domain/messages/people.ts";
import { siteUrl } from "../domain/site-url.ts";
import { isMessage } from "../domain/tweets/audience.ts";
import { shownFirst } from "../domain/tweets/tweet.ts";
import { avatarPath } from "../domain/users/avatars.ts";
import type { User } from "../domain/users/store.ts";
import { type Languages, readLanguages, type Translator } from "../web/languages/translator.ts";

/** Max code points: a push has 4 kB in all. */
const titleLimit = 100;
const bodyLimit = 140;

let languages: Languages | undefined;

/**
 * The text of a push in the user's language: JSON as Mastodon sends it. Apps find the user by their token; the
 * site's own service worker gets the page to open instead.
 */
export function composePush(
  ctx: Ctx,
  user: User,
  { holder }: Pick<Subscription, "holder">,
  item: NotificationItem,
  actor: User,
): string {
  languages ??= readLanguages();
  const words = languages.words(user.language);
  const yours = words.t("notification.yourTweet");
  const title = words.t(`notification.${item.kind}`, {
    who: "one",
    person: actor.fullname || actor.name,
    other: "",
    others: "",
    tweet: yours,
  });
  const text = textOf(words, item) ?? (actor.bio || `@${actor.name}`);
  const tweet = item.item?.tweet;
  const isSecret = tweet !== undefined && isMessage(tweet) && !user.messageTexts;
  const secret = { title: words.t("push.message", { name: `@${actor.name}` }), body: "" };
  const shared = {
    preferred_locale: words.language,
    notification_type: typeOf[item.kind],
    icon: siteUrl(ctx, avatarPath(actor) ?? "/icon-192.png"),
    title: clip(title, titleLimit),
    body: clip(text, bodyLimit),
    // No more than who wrote.
    ...(isSecret ? secret : {}),
  };
  const target =
    holder.by === "app" ? { access_token: holder.token } : { path: pathOf(item, actor) };
  // A number, as apps read it; too large for the numbers of JavaScript.
  return `{"notification_id":${notificationId(item)},${JSON.stringify({ ...target, ...shared }).slice(1)}`;
}

/** What a list shows of the tweet before it is unfolded. */
function textOf(words: Translator, { item }: NotificationItem): string | undefined {
  if (item?.warnings) return words.t("tweet.filtered", { title: item.warnings.join(", ") });
  return item && shownFirst(item.tweet);
}

/** The page that a click opens. */
function pathOf({ kind, tweet, item }: NotificationItem, actor: User): string {
  if (kind === "follow_request") return "/follow-requests";
  if (item !== undefined && isMessage(item.tweet))
    return conversationPath(conversationOf(item.tweet));
  return tweet === undefined ? `/@${actor.name}` : `/tweets/${tweet}`;
}

function clip(text: string, limit: number): string {
  const points = Array.from(text);
  return points.length <= limit ? text : `${points.slice(0, limit - 1).join("")}…`;
}
