import type { Ctx } from "../../context.ts";
import type { TweetId } from "../../domain/ids.ts";
import { deletionsAfter } from "../../domain/tweets/deletions.ts";
import { readTweets } from "../../domain/tweets/store.ts";
import type { AppStream } from "./app-stream.ts";

/** A deletion is announced before it is done. What is there still after this time stays. */
const waitMilliseconds = 60_000;

/** Tells apps what of that which they were told is gone: one small question a round. */
export class Gone {
  readonly #ctx: Ctx;
  #place: string | undefined;
  /** Announced, of concern to some stream, and still there: when to give up. */
  readonly #awaited = new Map<TweetId, number>();

  constructor(ctx: Ctx) {
    this.#ctx = ctx;
  }

  async round(streams: AppStream[]): Promise<void> {
    if (streams.length === 0) {
      this.#place = undefined;
      this.#awaited.clear();
      return;
    }
    const { place, tweets } = await deletionsAfter(this.#ctx, this.#place);
    this.#await(streams, new Set(tweets));
    this.#place = place;
    if (this.#awaited.size > 0) await this.#tell(streams);
  }

  #await(streams: AppStream[], announced: Set<TweetId>): void {
    if (announced.size === 0) return;
    const till = this.#ctx.now() + waitMilliseconds;
    for (const stream of streams)
      for (const tweet of stream.concernedBy(announced)) this.#awaited.set(tweet, till);
  }

  async #tell(streams: AppStream[]): Promise<void> {
    const awaited = [...this.#awaited.keys()];
    const found = await readTweets(this.#ctx, awaited);
    const gone = new Set(awaited.filter((_, index) => found[index] === undefined));
    if (gone.size > 0) for (const stream of streams) stream.tellGone(gone);
    const now = this.#ctx.now();
    for (const [tweet, till] of this.#awaited)
      if (gone.has(tweet) || till < now) this.#awaited.delete(tweet);
  }
}
