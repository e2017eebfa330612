import type { Response } from "express";
import type { Ctx } from "../../context.ts";
import { openToken } from "../../domain/apps/open-token.ts";
import type { TweetId, UserId } from "../../domain/ids.ts";
import type { Entry } from "../../domain/page.ts";
import type { Stamp } from "../../domain/stamp.ts";
import { homeFeed } from "../../domain/tweets/feeds.ts";
import { type OpenList, seenAmong } from "../../domain/tweets/news.ts";
import type { Listed } from "../../domain/tweets/read-feed.ts";
import { singleNotifications, type Told } from "../../domain/tweets/single-notifications.ts";
import type { User } from "../../domain/users/store.ts";
import { notificationId, presentTold } from "../api/entities/notification.ts";
import { presentEach } from "../api/entities/status.ts";
import { statusId } from "../api/ids.ts";
import { Known } from "./known.ts";
import { type Place, spellPlace } from "./place.ts";
import type { LiveStream, News } from "./stream.ts";
import { Wire } from "./wire.ts";

/** What an app wants to hear of. */
export interface Channel {
  home: boolean;
  notifications: boolean;
  list: OpenList | undefined;
}

/** For whom an app listens, and what it was told before. */
export interface Listening {
  user: UserId;
  token: string;
  channel: Channel;
  place: Place;
  /** Where the site is, without a path. */
  site: string;
}

/** Told in one round; the next goes on, once they are taken. */
const toldAtOnce = 20;
/** Whose deletion is told. */
const mostShown = 100;
/**
 * No empty line but at the end of an event, neither here nor with a place to go on from at the
 * beginning: libraries that people use (Mastodon.py) take it for an event without a name, and give up.
 */
const manners = { opening: "", mostUnsent: 131_072, heartbeat: ":thump\n" };

/** One open stream of somebody's app: it is told the things themselves, as the API spells them. */
export class AppStream implements LiveStream {
  readonly kind = "app";
  readonly user: UserId;
  readonly list: OpenList | undefined;
  readonly place: Place;
  checkedAt: number;
  readonly #ctx: Ctx;
  readonly #token: string;
  readonly #site: string;
  readonly #wire: Wire;
  readonly #home: Known | undefined;
  readonly #notifications: Known | undefined;
  /** By the ids of what was told, the newest at the end: the tweets without which that is gone. */
  readonly #shown = new Map<string, TweetId[]>();

  constructor(ctx: Ctx, res: Response, { user, token, channel, place, site }: Listening) {
    this.user = user;
    this.list = channel.list;
    this.place = { ...place };
    this.checkedAt = ctx.now();
    this.#ctx = ctx;
    this.#token = token;
    this.#site = site;
    this.#home = channel.home ? new Known(place.tweets) : undefined;
    this.#notifications = channel.notifications ? new Known(place.notifications) : undefined;
    this.#wire = new Wire(res, manners);
  }

  get after(): Stamp | undefined {
    return this.#home?.since;
  }

  async isAllowed(): Promise<boolean> {
    return (await openToken(this.#ctx, this.#token)) !== undefined;
  }

  async tell(viewer: User, { home, notifications }: News): Promise<boolean> {
    if (!this.#wire.isTaken) return false;
    const isHomeTold = !home || (await this.#tellHome(viewer));
    const areOthersTold = !notifications || (await this.#tellNotifications(viewer));
    return isHomeTold && areOthersTold;
  }

  async #tellHome(viewer: User): Promise<boolean> {
    const known = this.#home;
    if (known === undefined) return true;
    const limit = known.reach(toldAtOnce);
    const page = await homeFeed(this.#ctx, viewer, { from: known.since, limit });
    const news: Listed[] = [];
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

  async #tellNotification(viewer: User, one: Told): Promise<void> {
    const [json] = await presentTold(this.#ctx, viewer, [one], this.#site);
    this.place.notifications = Math.max(this.place.notifications, one.stamp);
    if (json !== undefined) this.#write("notification", json);
  }

  /** Tells what of a list came in that the viewer is to see, the oldest first. */
  async tellListed(viewer: User, entries: Entry[]): Promise<void> {
    const items = await seenAmong(this.#ctx, viewer, entries);
    await this.#tellTweets(viewer, items);
    const newest = entries.at(-1)?.stamp ?? 0;
    this.place.tweets = Math.max(this.place.tweets, newest);
  }

  async #tellTweets(viewer: User, items: Listed[]): Promise<void> {
    const statuses = await presentEach(this.#ctx, viewer, items, this.#site);
    for (const [index, item] of items.entries()) {
      const status = statuses[index];
      this.place.tweets = Math.max(this.place.tweets, item.stamp);
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

  /** Of these tweets, those without which something that was told is gone. */
  concernedBy(tweets: ReadonlySet<TweetId>): TweetId[] {
    return [...this.#shown.values()].flat().filter((tweet) => tweets.has(tweet));
  }

  tellGone(tweets: ReadonlySet<TweetId>): void {
    for (const [status, needed] of this.#shown) {
      if (!needed.some((tweet) => tweets.has(tweet))) continue;
      this.#shown.delete(status);
      this.#write("delete", status);
    }
  }

  #write(event: "update" | "notification" | "delete", data: string): void {
    this.#wire.write(`event: ${event}\nid: ${spellPlace(this.place)}\ndata: ${data}\n\n`);
  }

  beat(): void {
    this.#wire.beat();
  }

  /** Apps have no word for not coming back; they are refused when they do. */
  end(): void {
    this.#wire.end();
  }
}

function nameOf({ tweet, retweet, stamp }: Listed): { id: string; stamp: Stamp } {
  return { id: statusId(retweet ?? tweet), stamp };
}
