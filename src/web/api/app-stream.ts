import type { Response } from "express";
import type { Ctx } from "../../context.ts";
import { openToken } from "../../domain/apps/tokens.ts";
import { newestEntries, type PublicList } from "../../domain/feeds/public-lists.ts";
import { readVisibleItems } from "../../domain/feeds/feed-items.ts";
import type { FeedItem } from "../../domain/feeds/types.ts";
import type { TweetId, UserId } from "../../domain/ids.ts";
import { notificationId } from "../../domain/notifications/api-names.ts";
import { type NotificationItem, singleNotifications } from "../../domain/notifications/single.ts";
import type { ListRange, Page } from "../../domain/page.ts";
import type { Stamp } from "../../domain/stamp.ts";
import { recallTweets } from "../../domain/tweets/store.ts";
import { findUser, type User } from "../../domain/users/store.ts";
import { type ResumeCursor, serializeCursor } from "../live/resume-cursor.ts";
import { SentItems, sendNew } from "../live/sent-items.ts";
import { SseConnection, type SseOptions } from "../live/sse-connection.ts";
import type { LiveStream } from "../live/stream.ts";
import { Watched } from "../live/watched.ts";
import { presentNotifications } from "./entities/notification.ts";
import type { ApiView } from "./entities/parts.ts";
import { presentEach } from "./entities/status.ts";
import { statusId } from "./ids.ts";

/** What an app listens to. */
export interface Channel {
  /** A timeline that only this user has: home, or a list. */
  feed: ReadFeed | undefined;
  notifications: boolean;
  list: PublicList | undefined;
}

export type ReadFeed = (ctx: Ctx, viewer: User, part: ListRange) => Promise<Page<FeedItem>>;

/** The user of the app, and what the app was sent before. */
export interface Subscription {
  user: UserId;
  token: string;
  channel: Channel;
  cursor: ResumeCursor;
  /** Origin of the site. */
  site: string;
}

/** Max sent statuses whose deletion is told. */
const maxShown = 100;
/**
 * Only events end with an empty line: libraries (Mastodon.py) take any other for an event without a name, and give
 * up. So there is none in the heartbeat, nor before the first event.
 */
const sseOptions: SseOptions = { opening: "", maxUnsent: 131_072, heartbeat: ":thump\n" };

/** The stream of an app: statuses and notifications as the API serializes them. */
export class AppStream implements LiveStream {
  readonly kind = "app";
  readonly user: UserId;
  readonly #cursor: ResumeCursor;
  readonly #ctx: Ctx;
  readonly #site: string;
  readonly #connection: SseConnection;
  readonly #feed: { read: ReadFeed; sent: SentItems } | undefined;
  readonly #notifications: SentItems | undefined;
  readonly #list: (PublicList & { sent: SentItems }) | undefined;
  /** Ids of sent statuses, newest last, with the tweets without which the status is gone. */
  readonly #shown = new Map<string, TweetId[]>();
  readonly #access: Watched<boolean>;
  /** Whether everything is sent. */
  readonly #sending: Watched<boolean>;
  onChange: () => void = () => {};

  constructor(ctx: Ctx, res: Response, { user, token, channel, cursor, site }: Subscription) {
    this.user = user;
    this.#cursor = { ...cursor };
    this.#ctx = ctx;
    this.#site = site;
    this.#feed = channel.feed && { read: channel.feed, sent: new SentItems(cursor.tweets) };
    this.#notifications = channel.notifications ? new SentItems(cursor.notifications) : undefined;
    this.#list = channel.list && { ...channel.list, sent: new SentItems(cursor.tweets) };
    this.#connection = new SseConnection(res, sseOptions);
    const changed = () => this.onChange();
    this.#access = new Watched(async () => (await openToken(ctx, token)) !== undefined, changed);
    this.#sending = new Watched(async () => {
      const viewer = await findUser(ctx, user);
      return viewer === undefined || (await this.#sendAll(viewer));
    }, changed);
  }

  async isAllowed(): Promise<boolean> {
    return await this.#access.get(this.#ctx.now());
  }

  async update(): Promise<void> {
    const isSent = this.#connection.isTaken && (await this.#sending.get(this.#ctx.now()));
    if (!isSent) this.#sending.forget();
  }

  isDue(now: number): boolean {
    return this.#access.isDue(now) || this.#sending.isDue(now);
  }

  stop(): void {
    this.#access.stop();
    this.#sending.stop();
  }

  async #sendAll(viewer: User): Promise<boolean> {
    const ctx = this.#ctx;
    const view = { ctx, viewer, site: this.#site };
    const [feed, notifications] = [this.#feed, this.#notifications];
    const isFeedSent =
      feed === undefined ||
      (await sendNew(feed.sent, {
        read: (range) => feed.read(ctx, viewer, range),
        nameOf,
        send: (items) => this.#sendTweets(view, items),
      }));
    const areNotificationsSent =
      notifications === undefined ||
      (await sendNew(notifications, {
        read: (range) => singleNotifications(ctx, viewer, range),
        nameOf: (item) => ({ id: notificationId(item), stamp: item.stamp }),
        send: (items) => this.#sendNotifications(view, items),
      }));
    await this.#sendListed(viewer, view);
    await this.#sendDeleted();
    return isFeedSent && areNotificationsSent;
  }

  async #sendNotifications(view: ApiView, items: NotificationItem[]): Promise<void> {
    const notifications = await presentNotifications(view, items);
    for (const [index, { stamp }] of items.entries()) {
      const notification = notifications[index];
      this.#cursor.notifications = Math.max(this.#cursor.notifications, stamp);
      if (notification !== undefined) this.#write("notification", notification);
    }
  }

  /** The new entries of a public list that the viewer is to see, oldest first. */
  async #sendListed(viewer: User, view: ApiView): Promise<void> {
    if (this.#list === undefined) return;
    const { sent } = this.#list;
    const entries = await newestEntries(this.#ctx, this.#list);
    const news = entries.filter(({ id, stamp }) => sent.isNew(id, stamp));
    if (news.length > 0)
      await this.#sendTweets(view, await readVisibleItems(this.#ctx, viewer, news));
    for (const { id, stamp } of entries) sent.add(id, stamp);
    sent.begin();
  }

  async #sendTweets(view: ApiView, items: FeedItem[]): Promise<void> {
    const statuses = await presentEach(view, items);
    for (const [index, { tweet, retweet, stamp }] of items.entries()) {
      const status = statuses[index];
      this.#cursor.tweets = Math.max(this.#cursor.tweets, stamp);
      if (status === undefined) continue;
      this.#write("update", status);
      const needed = retweet === undefined ? [tweet.id] : [retweet.id, tweet.id];
      this.#shown.set(statusId(retweet ?? tweet), needed);
      const [oldest] = this.#shown.keys();
      if (this.#shown.size > maxShown && oldest !== undefined) this.#shown.delete(oldest);
    }
  }

  async #sendDeleted(): Promise<void> {
    const ids = [...new Set([...this.#shown.values()].flat())];
    const found = await recallTweets(
      this.#ctx,
      ids.map((id) => ({ id })),
    );
    const gone = new Set(ids.filter((_, index) => found[index] === undefined));
    if (gone.size === 0) return;
    for (const [status, needed] of this.#shown) {
      if (!needed.some((tweet) => gone.has(tweet))) continue;
      this.#shown.delete(status);
      this.#write("delete", status);
    }
  }

  #write(event: "update" | "notification" | "delete", data: string): void {
    // Some apps expect `data` in the line after `event`.
    this.#connection.write(
      `event: ${event}\ndata: ${data}\nid: ${serializeCursor(this.#cursor)}\n\n`,
    );
  }

  beat(): void {
    this.#connection.beat();
  }

  /** Apps cannot be told to stay away; they are refused when they come back. */
  end(): void {
    this.#connection.end();
  }
}

function nameOf({ tweet, retweet, stamp }: FeedItem): { id: string; stamp: Stamp } {
  return { id: statusId(retweet ?? tweet), stamp };
}
