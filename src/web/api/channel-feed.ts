import type { Ctx } from "../../context.ts";
import { newestEntries, type PublicList } from "../../domain/feeds/public-lists.ts";
import { readVisibleItems } from "../../domain/feeds/feed-items.ts";
import type { FeedItem } from "../../domain/feeds/types.ts";
import type { TweetId, UserId, Stamp } from "../../domain/ids.ts";
import { conversationsPage } from "../../domain/messages/conversations.ts";
import { notificationId } from "../../domain/notifications/api-names.ts";
import { singleNotifications } from "../../domain/notifications/single.ts";
import type { Entry } from "../../domain/page.ts";
import { recallTweetsById } from "../../domain/tweets/store.ts";
import { findUser, type User } from "../../domain/users/store.ts";
import type { MayHear } from "../live/hub.ts";
import { SentItems, sendNew } from "../live/sent-items.ts";
import { Watched } from "../live/watched.ts";
import type { LiveEvent, Wire } from "../live/wires.ts";
import type { Channel, ReadFeed } from "./channels.ts";
import { presentConversations } from "./conversations.ts";
import type { ApiView, Json } from "./entities/parts.ts";
import { presentEach } from "./entities/status.ts";
import { statusId } from "./ids.ts";
import { presentNotifications } from "./notifications.ts";

/** A sent status. */
interface Shown {
  entry: Entry;
  /** The status disappears if one of these tweets is deleted. */
  needed: TweetId[];
  editedAt: Stamp | undefined;
}

/** Max statuses that are remembered after sending, to report their edits and deletions. */
const maxShown = 100;

/** The user and the connection that a channel is sent to. */
export interface ChannelTarget {
  ctx: Ctx;
  user: UserId;
  /** Origin of the site. */
  site: string;
  wire: Wire;
  onChange: () => void;
}

/** One channel of an app: sends its statuses and notifications as the API serializes them. */
export class ChannelFeed {
  readonly #target: ChannelTarget;
  readonly #stream: readonly string[];
  readonly #feed: { read: ReadFeed; floor: Channel["floor"]; sent: SentItems } | undefined;
  readonly #notifications: SentItems | undefined;
  readonly #conversations: SentItems | undefined;
  readonly #list: (PublicList & { sent: SentItems }) | undefined;
  /** Sent statuses by their ids, newest last. */
  readonly #shown = new Map<string, Shown>();
  /** Whether everything is sent. */
  readonly #sending: Watched<boolean>;
  /** What is sent once all is read. */
  readonly #unsent: LiveEvent[] = [];
  #isStopped = false;

  constructor(target: ChannelTarget, channel: Channel) {
    const { ctx, user, onChange } = target;
    this.#target = target;
    this.#stream = channel.stream;
    const now = ctx.now() * 1000;
    const { feed: read, floor } = channel;
    this.#feed = read && { read, floor, sent: new SentItems(now) };
    this.#notifications = channel.notifications && new SentItems(now);
    this.#conversations = channel.conversations && new SentItems(now);
    this.#list = channel.list && { ...channel.list, sent: new SentItems(now) };
    this.#sending = new Watched(async () => {
      const viewer = await findUser(ctx, user);
      return viewer === undefined || (await this.#sendAll(viewer));
    }, onChange);
  }

  /** Sends what is new, unless the client has still to take what was sent before. `mayHear`: see LiveStream. */
  async update(mayHear: MayHear): Promise<void> {
    const { wire, ctx } = this.#target;
    try {
      const isSent = wire.isTaken && (await this.#sending.get(ctx.now()));
      if (!isSent) this.#sending.forget();
    } finally {
      // What was read before an outage counts as sent.
      if (this.#unsent.length > 0 && (await mayHear()))
        for (const event of this.#unsent.splice(0)) wire.send(event);
    }
  }

  isDue(now: number): boolean {
    return this.#sending.isDue(now);
  }

  stop(): void {
    this.#isStopped = true;
    this.#unsent.length = 0;
    this.#sending.stop();
  }

  async #sendAll(viewer: User): Promise<boolean> {
    const { ctx, site } = this.#target;
    const view = { ctx, viewer, site };
    const feed = this.#feed;
    // Below it each look would ask all authors again.
    if (feed?.floor !== undefined) feed.sent.skip(await feed.floor(ctx, viewer.id));
    const isFeedSent =
      feed === undefined ||
      (await sendNew(feed.sent, {
        read: (range) => feed.read(ctx, viewer, range),
        nameOf,
        send: (items) => this.#sendTweets(view, items),
      }));
    const areNotificationsSent =
      this.#notifications === undefined ||
      (await sendNew(this.#notifications, {
        read: (range) => singleNotifications(ctx, viewer, range),
        nameOf: (item) => ({ id: notificationId(item), stamp: item.stamp }),
        send: async (items) =>
          this.#sendEach("notification", await presentNotifications(view, items)),
      }));
    const areConversationsSent =
      this.#conversations === undefined ||
      (await sendNew(this.#conversations, {
        read: (range) => conversationsPage(ctx, viewer, range),
        nameOf: ({ id, item, stamp }) => ({ id: `${id}:${item.tweet.id}`, stamp }),
        send: async (items) =>
          this.#sendEach("conversation", await presentConversations(view, items)),
      }));
    await this.#sendListed(viewer, view);
    await this.#sendChanged(viewer, view);
    return isFeedSent && areNotificationsSent && areConversationsSent;
  }

  #sendEach(name: LiveEvent["name"], all: (Json | undefined)[]): void {
    for (const data of all) if (data !== undefined) this.#send(name, data);
  }

  /** The new entries of a public list that the viewer is to see, oldest first. */
  async #sendListed(viewer: User, view: ApiView): Promise<void> {
    if (this.#list === undefined) return;
    const { sent } = this.#list;
    const entries = await newestEntries(this.#target.ctx, this.#list);
    const news = entries.filter(({ id, stamp }) => sent.isNew(id, stamp));
    if (news.length > 0)
      await this.#sendTweets(view, await readVisibleItems(view.ctx, viewer, news));
    for (const { id, stamp } of entries) sent.add(id, stamp);
    sent.begin();
  }

  async #sendTweets(view: ApiView, items: FeedItem[]): Promise<void> {
    const statuses = await presentEach(view, items);
    for (const [index, { tweet, retweet, stamp }] of items.entries()) {
      const status = statuses[index];
      if (status === undefined) continue;
      this.#send("update", status);
      const listed = retweet ?? tweet;
      const needed = retweet === undefined ? [tweet.id] : [retweet.id, tweet.id];
      const { editedAt } = tweet;
      this.#shown.set(statusId(listed), { entry: { id: listed.id, stamp }, needed, editedAt });
      const [oldest] = this.#shown.keys();
      if (this.#shown.size > maxShown && oldest !== undefined) this.#shown.delete(oldest);
    }
  }

  async #sendChanged(viewer: User, view: ApiView): Promise<void> {
    const ids = [...this.#shown.values()].flatMap(({ needed }) => needed);
    const byId = await recallTweetsById(view.ctx, ids);
    for (const [id, shown] of this.#shown) {
      const tweets = shown.needed.map((tweet) => byId.get(tweet));
      if (tweets.includes(undefined)) this.#takeBack(id);
      else if (tweets.at(-1)?.editedAt !== shown.editedAt)
        await this.#sendEdited(viewer, view, id, shown);
    }
  }

  #takeBack(id: string): void {
    this.#shown.delete(id);
    this.#send("delete", id);
  }

  /** The edited status, or that it is gone for this user: the edit may be for fewer people. */
  async #sendEdited(viewer: User, view: ApiView, id: string, shown: Shown): Promise<void> {
    const context = this.#feed === undefined ? "public" : "home";
    const [item] = await readVisibleItems(view.ctx, viewer, [shown.entry], { context });
    if (item === undefined) return this.#takeBack(id);
    const [status] = await presentEach(view, [item]);
    if (status === undefined) return;
    this.#send("status.update", status);
    shown.editedAt = item.tweet.editedAt;
  }

  /** A client that has left the stream gets nothing more of it. */
  #send(name: LiveEvent["name"], data: string): void {
    if (!this.#isStopped) this.#unsent.push({ name, data, stream: this.#stream });
  }
}

function nameOf({ tweet, retweet, stamp }: FeedItem): { id: string; stamp: Stamp } {
  return { id: statusId(retweet ?? tweet), stamp };
}
