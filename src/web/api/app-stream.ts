import { openToken } from "../../domain/apps/tokens.ts";
import type { UserId } from "../../domain/ids.ts";
import type { LiveStream, MayHear } from "../live/hub.ts";
import { Watched } from "../live/watched.ts";
import type { Wire } from "../live/wires.ts";
import { ChannelFeed, type ChannelTarget } from "./channel-feed.ts";
import type { Channel } from "./channels.ts";

/** An app that listens: to one channel by server-sent events, to several by a WebSocket. */
export class AppStream implements LiveStream {
  readonly kind = "app";
  readonly user: UserId;
  readonly wire: Wire;
  readonly #target: ChannelTarget;
  readonly #access: Watched<boolean>;
  readonly #feeds = new Map<string, ChannelFeed>();
  onChange: () => void = () => {};

  constructor(target: Omit<ChannelTarget, "onChange">, token: string) {
    this.user = target.user;
    this.wire = target.wire;
    const onChange = () => this.onChange();
    this.#target = { ...target, onChange };
    const isOpen = async () => (await openToken(target.ctx, token)) !== undefined;
    this.#access = new Watched(isOpen, onChange);
  }

  /** Number of channels. */
  get size(): number {
    return this.#feeds.size;
  }

  /** Begins to send what is new in the channel from now on. What is sent already is not begun again. */
  subscribe(channel: Channel): void {
    if (this.#feeds.has(channel.key)) return;
    this.#feeds.set(channel.key, new ChannelFeed(this.#target, channel));
    this.onChange();
  }

  /** Leaving a channel that is not sent is harmless. */
  unsubscribe(key: string): void {
    this.#feeds.get(key)?.stop();
    this.#feeds.delete(key);
  }

  async isAllowed(): Promise<boolean> {
    return await this.#access.get(this.#target.ctx.now());
  }

  async update(mayHear: MayHear): Promise<void> {
    for (const feed of this.#feeds.values()) await feed.update(mayHear);
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
}
