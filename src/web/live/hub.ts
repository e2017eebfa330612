import { setTimeout as sleep } from "node:timers/promises";
import type { Ctx } from "../../context.ts";
import { Unavailable } from "../../domain/errors.ts";
import type { UserId } from "../../domain/ids.ts";
import { isOutage } from "../../domain/outage.ts";
import { countNews } from "../../domain/tweets/feeds.ts";
import { countUnread } from "../../domain/tweets/notifications.ts";
import { findOpenSession } from "../../domain/users/sessions.ts";
import { findUser } from "../../domain/users/store.ts";
import type { LiveStream } from "./stream.ts";
import { type Sighting, Watch, type Watched } from "./watch.ts";

const roundMilliseconds = 1000;
const sessionMilliseconds = 60_000;
/** A browser looks at one page at a time; somebody may have several. */
const streamsEach = 6;
/** About 56 kB each, with all that is remembered of their people; `npm run bench live` measures it. */
const streamsAtOnce = 5000;
/** So many people are counted for at the same time: their questions go out together. */
const lanes = 32;

/**
 * The open pages of this process. Once a second it asks Redis, for all of them together, whether
 * anything has changed, and counts only for those for whom it has: see docs/decisions/0017.
 */
export class Hub {
  readonly #ctx: Ctx;
  readonly #watch: Watch;
  readonly #people = new Map<UserId, Watched>();
  #size = 0;
  #running = false;
  #closed = false;

  constructor(ctx: Ctx) {
    this.#ctx = ctx;
    this.#watch = new Watch(ctx);
  }

  /** Throws Unavailable if this process has as many as it can hold. */
  requireRoom(): void {
    if (this.#closed || this.#size >= streamsAtOnce) throw new Unavailable("too many streams");
  }

  add(stream: LiveStream): void {
    const { user } = stream.looker;
    const watched = this.#people.get(user) ?? newlyWatched(user);
    this.#people.set(user, watched);
    watched.streams.add(stream);
    watched.marks = undefined;
    this.#size += 1;
    const [oldest] = watched.streams;
    if (watched.streams.size > streamsEach && oldest !== undefined) this.#end(oldest);
    if (!this.#running) void this.#run();
  }

  /** Removing what is not there is harmless. */
  remove(stream: LiveStream): void {
    const watched = this.#people.get(stream.looker.user);
    if (watched?.streams.delete(stream) !== true) return;
    this.#size -= 1;
    if (watched.streams.size === 0) this.#people.delete(watched.user);
  }

  /** Browsers come back by themselves, to another process. */
  close(): void {
    this.#closed = true;
    for (const stream of this.#streams()) {
      this.remove(stream);
      stream.end("moving");
    }
  }

  #end(stream: LiveStream): void {
    this.remove(stream);
    stream.end("over");
  }

  #streams(): LiveStream[] {
    return [...this.#people.values()].flatMap(({ streams }) => [...streams]);
  }

  async #run(): Promise<void> {
    this.#running = true;
    while (this.#size > 0) {
      const began = performance.now();
      for (const stream of this.#streams()) stream.beat();
      try {
        await this.#round();
      } catch (error) {
        // Whoever asks for a page hears of an outage; here the next round tries again.
        if (!isOutage(error)) this.#ctx.log.error({ err: error }, "live");
      }
      // However much there is to do, half of the time is for pages.
      const took = performance.now() - began;
      await sleep(Math.max(roundMilliseconds - took, took), undefined, { ref: false });
    }
    this.#running = false;
  }

  async #round(): Promise<void> {
    await this.#endSignedOut();
    const sightings = await this.#watch.look([...this.#people.values()]);
    const next = sightings.values();
    const lane = async () => {
      for (const sighting of next)
        await this.#tell(sighting).catch((error) => this.#forget(sighting, error));
    };
    await Promise.all(Array.from({ length: lanes }, lane));
  }

  /** What could not be counted is counted in the next round. */
  #forget({ watched }: Sighting, error: unknown): void {
    watched.marks = undefined;
    if (!isOutage(error)) this.#ctx.log.error({ err: error }, "live");
  }

  async #tell({ watched, barred, home, notifications }: Sighting): Promise<void> {
    const viewer = barred ? undefined : await findUser(this.#ctx, watched.user);
    if (viewer === undefined || viewer.suspended) {
      for (const stream of watched.streams) this.#end(stream);
      return;
    }
    if (notifications) {
      const unread = await countUnread(this.#ctx, viewer);
      for (const stream of watched.streams) stream.tell("notifications", unread);
    }
    if (!home) return;
    for (const stream of watched.streams) {
      const { after } = stream.looker;
      if (after !== undefined) stream.tell("home", await countNews(this.#ctx, viewer, after));
    }
  }

  async #endSignedOut(): Promise<void> {
    const now = this.#ctx.now();
    const due = this.#streams().filter(({ checkedAt }) => now - checkedAt > sessionMilliseconds);
    await Promise.all(
      due.map(async (stream) => {
        const { user, session } = stream.looker;
        const opened = await findOpenSession(this.#ctx, user, session);
        stream.checkedAt = now;
        if (opened === undefined) this.#end(stream);
      }),
    );
  }
}

function newlyWatched(user: UserId): Watched {
  return { user, streams: new Set(), marks: undefined, stored: undefined };
}
