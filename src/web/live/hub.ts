import { setTimeout as sleep } from "node:timers/promises";
import type { Response } from "express";
import type { Ctx } from "../../context.ts";
import { Unavailable } from "../../domain/errors.ts";
import type { UserId } from "../../domain/ids.ts";
import { isOutage } from "../../domain/outage.ts";
import { findUser } from "../../domain/users/store.ts";
import { AppStream } from "./app-stream.ts";
import { Gone } from "./gone.ts";
import { Lists } from "./lists.ts";
import type { LiveStream } from "./stream.ts";
import { type Sighting, Watch, type Watched } from "./watch.ts";

const roundMilliseconds = 1000;
const checkMilliseconds = 60_000;
/** Of a kind. A browser looks at one page at a time; somebody may have several, and several apps. */
const streamsEach = 6;
/** About 56 kB each, with all that is remembered of their people; `npm run bench live` measures it. */
const streamsAtOnce = 5000;
/** So many people are counted for at the same time: their questions go out together. */
const lanes = 32;

/**
 * The open pages and apps of this process. Once a second it asks Redis, for all of them together, whether
 * anything has changed, and reads more only for those for whom it has: see docs/decisions/0017 and 0021.
 */
export class Hub {
  readonly #ctx: Ctx;
  readonly #watch: Watch;
  readonly #lists: Lists;
  readonly #gone: Gone;
  readonly #people = new Map<UserId, Watched>();
  #size = 0;
  #running = false;
  #closed = false;

  constructor(ctx: Ctx) {
    this.#ctx = ctx;
    this.#watch = new Watch(ctx);
    this.#lists = new Lists(ctx);
    this.#gone = new Gone(ctx);
  }

  /** Throws Unavailable if this process has as many as it can hold. */
  requireRoom(): void {
    if (this.#closed || this.#size >= streamsAtOnce) throw new Unavailable("too many streams");
  }

  /** Until it ends, or whoever listens leaves: they may have done so before it began. */
  add(stream: LiveStream, res: Response): void {
    if (res.closed) return;
    res.once("close", () => this.#remove(stream));
    const { user, kind } = stream;
    const watched = this.#people.get(user) ?? newlyWatched(user);
    this.#people.set(user, watched);
    watched.streams.add(stream);
    watched.marks = undefined;
    this.#size += 1;
    if (stream instanceof AppStream) this.#lists.add(stream);
    const alike = [...watched.streams].filter((one) => one.kind === kind);
    const [oldest] = alike;
    if (alike.length > streamsEach && oldest !== undefined) this.#end(oldest);
    if (!this.#running) void this.#run();
  }

  /** Removing what is not there is harmless. */
  #remove(stream: LiveStream): void {
    const watched = this.#people.get(stream.user);
    if (watched?.streams.delete(stream) !== true) return;
    this.#size -= 1;
    if (stream instanceof AppStream) this.#lists.remove(stream);
    if (watched.streams.size === 0) this.#people.delete(watched.user);
  }

  /** Browsers and apps come back by themselves, to another process. */
  close(): void {
    this.#closed = true;
    for (const stream of this.#streams()) {
      this.#remove(stream);
      stream.end("moving");
    }
  }

  #end(stream: LiveStream): void {
    this.#remove(stream);
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
      for (const part of this.#parts()) await part().catch((error: unknown) => this.#report(error));
      // However much there is to do, half of the time is for pages.
      const took = performance.now() - began;
      await sleep(Math.max(roundMilliseconds - took, took), undefined, { ref: false });
    }
    this.#running = false;
  }

  /** What is done in a round, one after the other; whatever fails is tried again in the next. */
  #parts(): (() => Promise<void>)[] {
    return [
      () => this.#endForbidden(),
      () => this.#tellAll(),
      () => this.#lists.round((error) => this.#report(error)),
      () => this.#gone.round(this.#streams().filter((stream) => stream instanceof AppStream)),
    ];
  }

  /** Whoever asks for a page hears of an outage. */
  #report(error: unknown): void {
    if (!isOutage(error)) this.#ctx.log.error({ err: error }, "live");
  }

  async #tellAll(): Promise<void> {
    const sightings = await this.#watch.look([...this.#people.values()]);
    const next = sightings.values();
    const lane = async () => {
      for (const sighting of next)
        await this.#tell(sighting).catch((error: unknown) => {
          sighting.watched.marks = undefined;
          this.#report(error);
        });
    };
    await Promise.all(Array.from({ length: lanes }, lane));
  }

  async #tell({ watched, barred, doubtful, ...news }: Sighting): Promise<void> {
    const viewer = barred ? undefined : await findUser(this.#ctx, watched.user);
    if (viewer === undefined || viewer.suspended) {
      for (const stream of watched.streams) this.#end(stream);
      return;
    }
    for (const stream of watched.streams)
      if (doubtful && !(await stream.isAllowed())) this.#end(stream);
      else if (!(await stream.tell(viewer, news))) watched.marks = undefined;
    if (news.home) await this.#watch.recount(watched);
  }

  async #endForbidden(): Promise<void> {
    const now = this.#ctx.now();
    const due = this.#streams().filter(({ checkedAt }) => now - checkedAt > checkMilliseconds);
    await Promise.all(
      due.map(async (stream) => {
        const isAllowed = await stream.isAllowed();
        // Those that were opened together are not asked about together for ever.
        stream.checkedAt = now - Math.floor((Math.random() * checkMilliseconds) / 4);
        const watched = this.#people.get(stream.user);
        if (!isAllowed) this.#end(stream);
        // Numbers may hide a change, and an app is to miss nothing.
        else if (stream.kind === "app" && watched !== undefined) watched.marks = undefined;
      }),
    );
  }
}

function newlyWatched(user: UserId): Watched {
  return { user, streams: new Set(), marks: undefined, stored: undefined };
}
