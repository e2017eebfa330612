import type { Ctx, PushWork } from "../context.ts";
import { claimPush, findPushable, releasePush, wantsPush } from "../domain/push/pushable.ts";
import {
  type Subscription,
  dropSubscriptions,
  listSubscriptions,
  noteFailing,
} from "../domain/push/subscriptions.ts";
import { findUser, type User } from "../domain/users/store.ts";
import { type Outcome, sendPush } from "./transport.ts";
import { notificationId, typeOf } from "../domain/notifications/api-names.ts";
import type { NotificationItem } from "../domain/notifications/single.ts";
import { conversationOf, conversationPath } from "../domain/messages/people.ts";
import { siteUrl } from "../domain/site-url.ts";
import { isMessage } from "../domain/tweets/audience.ts";
import { shownFirst } from "../domain/tweets/tweet.ts";
import { avatarPath } from "../domain/users/avatars.ts";
import { clipText } from "../domain/users/display-text.ts";
import { readLanguages, type Translator } from "../web/languages/translator.ts";

/** A subscription is dropped after this many failures in a row … */
const failuresAtMost = 5;
/** … over at least this many milliseconds. */
const failingAtMost = 3 * 24 * 60 * 60 * 1000;
/** From the third failure in a row a subscription has a pause: milliseconds, doubled by each one, and at most. */
const pauseOf = (times: number) => (times < 3 ? 0 : Math.min(5000 * 2 ** times, 10 * 60 * 1000));

/** `act`: the former name of `activity`, in jobs from before version 0.2. */
type Promised = Partial<PushWork> & Pick<PushWork, "to"> & { act?: string };

/**
 * The job of a push: sends a notification to each of the user's devices that wants it, at most once. Whatever has
 * changed since the promise counts. Throws if a push service asks for another try, unless this is the last one:
 * the addresses are chosen by users, so their failures are no dead letters.
 */
export async function deliverPush(ctx: Ctx, work: Promised, isLast: boolean): Promise<void> {
  const user = await findUser(ctx, work.to);
  if (user === undefined || user.suspended) return;
  const subscriptions = await listSubscriptions(ctx, user);
  if (subscriptions.length === 0) return;
  const { activity = work.act ?? "" } = work;
  const item = await findPushable(ctx, user, activity);
  const actor = item && (await findUser(ctx, item.actor));
  if (item === undefined || actor === undefined) return;
  const isWanted = await wantsPush(ctx, user, item);
  const outcomes = await Promise.all(
    subscriptions.filter(isWanted).map(async (one) => {
      if (!(await claimPush(ctx, user.id, one, activity))) return undefined;
      const tried = await beginTry(ctx, user, one);
      const text = composePush(ctx, user, one, item, actor);
      const outcome = tried === undefined ? "later" : await sendPush(ctx, tried, text);
      if (outcome === "later") await releasePush(ctx, user.id, one, activity);
      if (tried !== undefined) await note(ctx, user, tried, outcome);
      return outcome;
    }),
  );
  if (outcomes.includes("later") && !isLast) throw new Error("a push service asks to wait");
}

/**
 * Counts a try at a failing subscription as one more failure before it begins. Undefined during a pause, or if
 * another job was faster: so its silent push service never holds many places in the queue.
 */
async function beginTry(ctx: Ctx, user: User, one: Subscription) {
  const { failing } = one;
  if (failing === undefined) return one;
  const now = ctx.now();
  const { last = 0, times } = failing;
  if (now < last + pauseOf(times)) return undefined;
  return await noteFailing(ctx, user, one, { ...failing, last: now, times: times + 1 });
}

/** Drops a subscription that has ended, or whose pushes have failed for days. */
async function note(ctx: Ctx, user: User, one: Subscription, outcome: Outcome): Promise<void> {
  if (outcome === "sent") return void (await noteFailing(ctx, user, one, undefined));
  const now = ctx.now();
  const failing = one.failing ?? { since: now, last: now, times: 1 };
  const isDead = failing.times >= failuresAtMost && now - failing.since >= failingAtMost;
  if (outcome === "gone" || isDead) await dropSubscriptions(ctx, user, [one]);
  else await noteFailing(ctx, user, one, failing);
}

/** Max code points: a push has 4 kB in all. */
const titleLimit = 100;
const bodyLimit = 140;

/** JSON as Mastodon sends it, in the user's language. Apps know the user by their token; browsers get a path. */
export function composePush(
  ctx: Ctx,
  user: User,
  { holder }: Pick<Subscription, "holder">,
  item: NotificationItem,
  actor: User,
): string {
  const words = readLanguages().words(user.language);
  const title = words.t(`notification.${item.kind}`, {
    who: "one",
    person: actor.fullname || actor.name,
    other: "",
    others: "",
    tweet: words.t("notification.yourTweet"),
    asker: item.actor === user.id ? "viewer" : "other",
  });
  const text = textOf(words, item) ?? (actor.bio || `@${actor.name}`);
  const tweet = item.item?.tweet;
  // A secret push tells no more than who wrote, or did what.
  const isSecret = tweet !== undefined && isMessage(tweet) && !user.messageTexts;
  const isOfText = item.kind === "mention" || item.kind === "reply";
  const from = words.t("push.message", { name: `@${actor.name}` });
  const shared = {
    preferred_locale: words.language,
    notification_type: typeOf[item.kind],
    icon: siteUrl(ctx, avatarPath(actor) ?? "/icon-192.png"),
    title: clipText(isSecret && isOfText ? from : title, titleLimit),
    body: isSecret ? "" : clipText(text, bodyLimit),
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
