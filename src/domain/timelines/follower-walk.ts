import type { Ctx } from "../../context.ts";
import { type Followed, followersAfter } from "../graph/follows.ts";
import type { UserId } from "../ids.ts";
import type { Stamp } from "../stamp.ts";

/** Some followers to deliver to; `finished` is to be called once they have the tweet. */
export interface Step {
  followers: UserId[];
  finished(): void;
}

interface Page {
  last: Stamp;
  /** Steps of it that were not finished yet. */
  open: number;
}

/**
 * Walks through the followers of somebody in the order in which they came, for several to share: a
 * page is read while the one before it is delivered, and holds one page's followers and the next
 * one's in memory, however many there are.
 */
export class FollowerWalk {
  /** Everybody who came at or before this stamp is finished. */
  done: Stamp;
  /** Pages that are finished. */
  pagesDone = 0;
  /** Where to go on, once the walk has ended before the followers have. */
  rest: Stamp | undefined;
  readonly #read: (after: Stamp) => Promise<Followed[]>;
  readonly #limit: number;
  #pagesLeft: number;
  #coming: Promise<Followed[]>;
  #followers: UserId[] = [];
  /** The page that is being handed out; and all that are not finished, in their order. */
  #current: Page | undefined;
  #open: Page[] = [];
  #ended = false;

  /** At most so many `pages`, beginning after the stamp `start`. */
  constructor(ctx: Ctx, author: UserId, start: Stamp, pages: number) {
    this.#limit = ctx.config.fanoutPage;
    this.#read = (after) => followersAfter(ctx, author, { after, limit: this.#limit });
    this.#pagesLeft = pages;
    this.done = start;
    this.#coming = this.#read(start);
  }

  /** The next followers, at most `count`; undefined at the end. */
  async next(count: number): Promise<Step | undefined> {
    while (this.#followers.length === 0 && !this.#ended) {
      const coming = this.#coming;
      const page = await coming;
      // Of several who waited for it, the first turns it over.
      if (coming === this.#coming) this.#turnTo(page, count);
    }
    const page = this.#current;
    if (this.#ended || page === undefined) return undefined;
    return { followers: this.#followers.splice(0, count), finished: () => this.#finish(page) };
  }

  /** Nobody gets any more, as after a failure. */
  end(): void {
    this.#ended = true;
  }

  #turnTo(page: Followed[], count: number): void {
    const last = page.at(-1)?.stamp;
    if (last === undefined || this.#pagesLeft === 0) {
      if (last !== undefined) this.rest = this.#current?.last ?? this.done;
      this.#ended = true;
      return;
    }
    this.#pagesLeft -= 1;
    this.#followers = page.map((follower) => follower.id);
    this.#current = { last, open: Math.ceil(page.length / count) };
    this.#open.push(this.#current);
    this.#coming = page.length < this.#limit ? Promise.resolve([]) : this.#read(last);
    // Whoever waits for it next is told of a failure; until then it is nobody's.
    this.#coming.catch(() => {});
  }

  /** Pages count as finished in their order, so that all who came before `done` really are. */
  #finish(page: Page): void {
    page.open -= 1;
    for (let [first] = this.#open; first?.open === 0; [first] = this.#open) {
      this.done = first.last;
      this.pagesDone += 1;
      this.#open.shift();
    }
  }
}
