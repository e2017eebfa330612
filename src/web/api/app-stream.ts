import type { Response } from "express";
import type { Ctx } from "../../context.ts";
import { openToken } from "../../domain/apps/tokens.ts";
import type { TweetId, UserId } from "../../domain/ids.ts";
import type { Stamp } from "../../domain/stamp.ts";
import { homeFeed } from "../../domain/feeds/feeds.ts";
import { newestEntries, type PublicList } from "../../domain/feeds/public-lists.ts";
import { readVisibleItems } from "../../domain/feeds/feed-items.ts";
import type { FeedItem } from "../../domain/feeds/types.ts";
import { singleNotifications, type NotificationItem } from "../../domain/notifications/single.ts";
import { recallTweets } from "../../domain/tweets/store.ts";
import { findUser, type User } from "../../domain/users/store.ts";
import { notificationId, presentTold } from "./entities/notification.ts";
import { presentEach } from "./entities/status.ts";
import { statusId } from "./ids.ts";
import { Known } from "../live/sent-items.ts";
import { type Place, serializeCursor } from "../live/resume-cursor.ts";
import type { LiveStream } from "../live/stream.ts";
import { Watched } from "../live/watched.ts";
import { Wire } from "../live/sse-connection.ts";

/** What an app wants to hear of. */
export interface Channel {
  home: boolean;
  notifications: boolean;
  list: PublicList | undefined;
}

/** The user of the app, and what the app was sent before. */
export interface Listening {
  user: UserId;
  token: string;
  channel: Channel;
  place: Place;
  /** Where the site is, without a path. */
  site: string;
}

/** Max items told in one look; the next look goes on, once they are taken. */
const toldAtOnce = 20;
/** Max told items whose deletion is told. */
const mostShown = 100;
/**
 * No empty line but at the end of an event, neither here nor with a place to go on from at the
 * beginning: libraries that people use (Mastodon.py) take it for an event without a name, and give up.
 */
const manners = { opening: "", mostUnsent: 131_072, heartbeat: ":thump\n" };

/** One open stream of an app: it is sent statuses and notifications as the API serializes them. */
export class AppStream implements LiveStream {
  readonly kind = "app";
  readonly user: UserId;
  readonly #place: Place;
  readonly #ctx: Ctx;
  readonly #site: string;
  readonly #wire: Wire;
  readonly #home: Known | undefined;
  readonly #notifications: Known | undefined;
  readonly #list: (PublicList & { known: Known }) | undefined;
  /** By the ids of what was told, the newest at the end: the tweets without which that is gone. */
  readonly #shown = new Map<string, TweetId[]>();
  readonly #access: Watched<boolean>;
  /** Whether all was told. */
  readonly #telling: Watched<boolean>;
  onChange: () => void = () => {};

  constructor(ctx: Ctx, res: Response, { user, token, channel, place, site }: Listening) {
    this.user = user;
    this.#place = { ...place };
    this.#ctx = ctx;
    this.#site = site;
    this.#home = channel.home ? new Known(place.tweets) : undefined;
    this.#notifications = channel.notifications ? new Known(place.notifications) : undefined;
    this.#list = channel.list && { ...channel.list, known: new Known(place.tweets) };
    this.#wire = new Wire(res, manners);
    const changed = () => this.onChange();
    this.#access = new Watched(async () => (await openToken(ctx, token)) !== undefined, changed);
    this.#telling = new Watched(async () => {
      const viewer = await findUser(ctx, user);
      return viewer === undefined || (await this.#tellAll(viewer));
    }, changed);
  }

  async isAllowed(): Promise<boolean> {
    return await this.#access.get(this.#ctx.now());
  }

  async tell(): Promise<void> {
    const isTold = this.#wire.isTaken && (await this.#telling.get(this.#ctx.now()));
    if (!isTold) this.#telling.forget();
  }

  isDue(now: number): boolean {
    return this.#access.isDue(now) || this.#telling.isDue(now);
  }

  stop(): void {
    this.#access.stop();
    this.#telling.stop();
  }

  async #tellAll(viewer: User): Promise<boolean> {
    const isHomeTold = await this.#tellHome(viewer);
    const areOthersTold = await this.#tellNotifications(viewer);
    await this.#tellListed(viewer);
    await this.#tellGone();
    return isHomeTold && areOthersTold;
  }

  async #tellHome(viewer: User): Promise<boolean> {
    const known = this.#home;
    if (known === undefined) return true;
    const limit = known.reach(toldAtOnce);
    const page = await homeFeed(this.#ctx, viewer, { from: known.since, limit });
    const news: FeedItem[] = [];
    for (const item of page.items.toReversed()) {
      const { id, stamp } = nameOf(item);
      if (known.isNews(id, stamp)) news.push(item);
      else known.add(id, stamp);
    }
    const told = news.slice(0, toldAtOnce);
    await this.#tellTweets(viewer, told);
    for (const item of told) known.add(nameOf(item).id, nameOf(item).stamp);
    if (told.length < news.length) return false;
    // Very much that is hidden: what comes next stands above it.
    if (page.newer !== undefined && news.length === 0) known.skip(page.newer);
    const isWhole = page.newer === undefined && page.items.length < limit;
    if (isWhole) known.begin();
    return isWhole;
  }

  async #tellNotifications(viewer: User): Promise<boolean> {
    const known = this.#notifications;
    if (known === undefined) return true;
    const limit = known.reach(toldAtOnce);
    const { items } = await singleNotifications(this.#ctx, viewer, { from: known.since, limit });
    let told = 0;
    for (const one of items.toReversed()) {
      const name = notificationId(one);
      if (known.isNews(name, one.stamp)) {
        if (told === toldAtOnce) return false;
        await this.#tellNotification(viewer, one);
        told += 1;
      }
      known.add(name, one.stamp);
    }
    if (items.length >= limit) return false;
    known.begin();
    return true;
  }

  async #tellNotification(viewer: User, one: NotificationItem): Promise<void> {
    const [json] = await presentTold(this.#ctx, viewer, [one], this.#site);
    this.#place.notifications = Math.max(this.#place.notifications, one.stamp);
    if (json !== undefined) this.#write("notification", json);
  }

  /** What of a list came in that the viewer is to see, the oldest first. */
  async #tellListed(viewer: User): Promise<void> {
    if (this.#list === undefined) return;
    const { known } = this.#list;
    const entries = await newestEntries(this.#ctx, this.#list);
    const news = entries.filter(({ id, stamp }) => known.isNews(id, stamp));
    if (news.length > 0)
      await this.#tellTweets(viewer, await readVisibleItems(this.#ctx, viewer, news));
    for (const { id, stamp } of entries) known.add(id, stamp);
    known.begin();
  }

  async #tellTweets(viewer: User, items: FeedItem[]): Promise<void> {
    const statuses = await presentEach(this.#ctx, viewer, items, this.#site);
    for (const [index, item] of items.entries()) {
      const status = statuses[index];
      this.#place.tweets = Math.max(this.#place.tweets, item.stamp);
      if (status === undefined) continue;
      this.#write("update", status);
      this.#shown.set(
        nameOf(item).id,
        item.retweet === undefined ? [item.tweet.id] : [item.retweet.id, item.tweet.id],
      );
      const [oldest] = this.#shown.keys();
      if (this.#shown.size > mostShown && oldest !== undefined) this.#shown.delete(oldest);
    }
  }

  async #tellGone(): Promise<void> {
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
    this.#wire.write(`event: ${event}\nid: ${serializeCursor(this.#place)}\ndata: ${data}\n\n`);
  }

  beat(): void {
    this.#wire.beat();
  }

  /** Apps have no word for not coming back; they are refused when they do. */
  end(): void {
    this.#wire.end();
  }
}

function nameOf({ tweet, retweet, stamp }: FeedItem): { id: string; stamp: Stamp } {
  return { id: statusId(retweet ?? tweet), stamp };
}
