import type { Ctx } from "../../context.ts";
import { openToken } from "../../domain/apps/tokens.ts";
import type { UserId } from "../../domain/ids.ts";
import type { LiveStream, Wire } from "../live/stream.ts";
import { Watched } from "../live/watched.ts";
import { ChannelFeed } from "./channel-feed.ts";
import type { Channel } from "./channels.ts";

/** The user of an app that listens. */
interface Subscriber {
  user: UserId;
  token: string;
  /** Origin of the site. */
  site: string;
}

/** An app that listens: to one channel by server-sent events, to several by a WebSocket. */
export class AppStream implements LiveStream {
  readonly kind = "app";
  readonly user: UserId;
  readonly #ctx: Ctx;
  readonly #site: string;
  readonly #wire: Wire;
  readonly #access: Watched<boolean>;
  readonly #feeds = new Map<string, ChannelFeed>();
  onChange: () => void = () => {};

  constructor(ctx: Ctx, wire: Wire, { user, token, site }: Subscriber) {
    this.user = user;
    this.#ctx = ctx;
    this.#site = site;
    this.#wire = wire;
    const isOpen = async () => (await openToken(ctx, token)) !== undefined;
    this.#access = new Watched(isOpen, () => this.onChange());
  }

  /** Number of channels. */
  get size(): number {
    return this.#feeds.size;
  }

  /** Begins to send what is new in the channel from now on. What is sent already is not begun again. */
  subscribe(channel: Channel): void {
    if (this.#feeds.has(channel.key)) return;
    const target = {
      ctx: this.#ctx,
      user: this.user,
      site: this.#site,
      wire: this.#wire,
      onChange: () => this.onChange(),
    };
    this.#feeds.set(channel.key, new ChannelFeed(target, channel));
    this.onChange();
  }

  /** Leaving a channel that is not sent is harmless. */
  unsubscribe(key: string): void {
    this.#feeds.get(key)?.stop();
    this.#feeds.delete(key);
  }

  async isAllowed(): Promise<boolean> {
    return await this.#access.get(this.#ctx.now());
  }

  async update(): Promise<void> {
    for (const feed of this.#feeds.values()) await feed.update();
  }

  isDue(now: number): boolean {
    if (this.#access.isDue(now)) return true;
    for (const feed of this.#feeds.values()) if (feed.isDue(now)) return true;
    return false;
  }

  stop(): void {
    this.#access.stop();
    for (const feed of this.#feeds.values()) feed.stop();
  }

  beat(): void {
    this.#wire.beat();
  }

  end(why: "over" | "moving"): void {
    this.#wire.end(why);
  }
}
