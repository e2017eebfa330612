import type { Ctx } from "../../context.ts";
import type { UserId } from "../../domain/ids.ts";
import type { Stamp } from "../../domain/stamp.ts";
import { bigEntries, newestBig } from "../../domain/timelines/big.ts";
import { countStored } from "../../domain/timelines/home-store.ts";
import { type Marks, marksOf } from "../../domain/users/versions.ts";
import type { LiveStream, News } from "./stream.ts";

/** Somebody with open pages or apps. */
export interface Watched {
  user: UserId;
  streams: Set<LiveStream>;
  /** As of the last look; undefined before the first, and to have all counted again. */
  marks: Marks | undefined;
  /** Of those at home; undefined for somebody who looks at other pages. */
  stored: number | undefined;
}

/** What a look found out about somebody. */
export interface Sighting extends News {
  watched: Watched;
  barred: boolean;
  /** Whether a session or token may have ended. */
  doubtful: boolean;
}

/** People asked about in one round trip; bounds what one reply may hold. */
const peopleAtOnce = 500;

/** Looks after many people with two or three small commands for each, and tells for whom to look closer. */
export class Watch {
  readonly #ctx: Ctx;
  #big: Stamp | undefined;

  constructor(ctx: Ctx) {
    this.#ctx = ctx;
  }

  async look(people: Watched[]): Promise<Sighting[]> {
    const newest = await newestBig(this.#ctx);
    const since = this.#big ?? newest;
    const changed: Sighting[] = [];
    for (let start = 0; start < people.length; start += peopleAtOnce) {
      const group = people.slice(start, start + peopleAtOnce);
      changed.push(...(await this.#lookAt(group, newest > since ? since : undefined)));
    }
    // Only now: a look that failed is made again.
    this.#big = newest;
    return changed;
  }

  /** After home was read: that takes out what is gone, and as many that come in would go unnoticed. */
  async recount(watched: Watched): Promise<void> {
    const after = oldestAfter(watched);
    if (after === undefined) return;
    const [stored = 0] = await countStored(this.#ctx, [{ user: watched.user, after }]);
    if (stored < (watched.stored ?? 0)) watched.marks = undefined;
  }

  /** `big` is given if somebody big has tweeted after that stamp. */
  async #lookAt(group: Watched[], big: Stamp | undefined): Promise<Sighting[]> {
    const atHome = group.flatMap((watched) => {
      const after = oldestAfter(watched);
      return after === undefined ? [] : [{ watched, user: watched.user, after }];
    });
    const [marks, stored, concerned] = await Promise.all([
      marksOf(
        this.#ctx,
        group.map(({ user }) => user),
      ),
      countStored(this.#ctx, atHome),
      this.#followersOfBig(atHome, big),
    ]);
    const stocks = new Map(atHome.map(({ watched }, index) => [watched, stored[index] ?? 0]));
    return group.flatMap((watched, index) => {
      const now = marks[index];
      if (now === undefined) return [];
      const { marks: before, stored: had } = watched;
      const has = stocks.get(watched);
      watched.marks = now;
      watched.stored = has;
      const doubtful = before?.version !== now.version;
      const isNews = doubtful || had !== has || concerned.has(watched.user);
      const home = has !== undefined && isNews;
      const notifications = before?.notices !== now.notices;
      const isChanged = home || notifications || now.barred;
      return isChanged ? [{ watched, barred: now.barred, doubtful, home, notifications }] : [];
    });
  }

  async #followersOfBig(atHome: { user: UserId }[], big: Stamp | undefined): Promise<Set<UserId>> {
    if (big === undefined) return new Set();
    const range = { before: undefined, after: big, limit: 1 };
    const found = await Promise.all(atHome.map(({ user }) => bigEntries(this.#ctx, user, range)));
    return new Set(atHome.flatMap(({ user }, index) => (found[index]?.length ? [user] : [])));
  }
}

/** What all that shows home has shown; undefined without any. */
function oldestAfter({ streams }: Watched): Stamp | undefined {
  let oldest: Stamp | undefined;
  for (const { after } of streams)
    if (after !== undefined) oldest = Math.min(oldest ?? Infinity, after);
  return oldest;
}
