import type { Ctx } from "../../context.ts";
import { type Follower, followersAfter } from "../graph/follows.ts";
import type { UserId } from "../ids.ts";
import type { Stamp } from "../stamp.ts";

/** Followers to deliver to; the caller calls `finished` once they have the tweet. */
interface Step {
  followers: UserId[];
  finished(): void;
}

interface FollowerPage {
  last: Stamp;
  /** Number of steps of the page that are not finished. */
  open: number;
}

/**
 * Walks through a user's followers, oldest follow first, for several callers at once. Reads a page while the
 * one before it is delivered, so it holds at most two pages in memory.
 */
export class FollowerWalk {
  /** All followers up to this stamp are finished. */
  done: Stamp;
  /** Number of finished pages. */
  pagesDone = 0;
  /** Where to continue if the walk ended before the last follower. */
  rest: Stamp | undefined;
  readonly #read: (after: Stamp) => Promise<Follower[]>;
  readonly #limit: number;
  #pagesLeft: number;
  #coming: Promise<Follower[]>;
  #followers: UserId[] = [];
  /** The page that is being handed out; #open: all unfinished pages, in order. */
  #current: FollowerPage | undefined;
  #open: FollowerPage[] = [];
  #ended = false;

  /** Walks at most `pages` pages, from the stamp `start`. */
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
      // Several callers may wait for the same page; the first one turns to it.
      if (coming === this.#coming) this.#turnTo(page, count);
    }
    const page = this.#current;
    if (this.#ended || page === undefined) return undefined;
    return { followers: this.#followers.splice(0, count), finished: () => this.#finish(page) };
  }

  /** Ends the walk for all callers, as after a failure. */
  end(): void {
    this.#ended = true;
  }

  #turnTo(page: Follower[], count: number): void {
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
    // The next caller gets the failure; this only avoids an unhandled rejection.
    this.#coming.catch(() => {});
  }

  /** Pages finish in order, so that all followers up to `done` have the tweet. */
  #finish(page: FollowerPage): void {
    page.open -= 1;
    for (let [first] = this.#open; first?.open === 0; [first] = this.#open) {
      this.done = first.last;
      this.pagesDone += 1;
      this.#open.shift();
    }
  }
}
