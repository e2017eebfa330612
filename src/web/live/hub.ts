import type { Response } from "express";
import type { Ctx } from "../../context.ts";
import { underNone } from "../../domain/deadline.ts";
import { recorded, Recording } from "../../domain/recorded.ts";
import { Unavailable } from "../../domain/errors.ts";
import type { UserId } from "../../domain/ids.ts";
import { isOutage } from "../../domain/outage.ts";
import { findUser } from "../../domain/users/store.ts";
import type { LiveStream } from "./stream.ts";
import { WakeUps } from "./wake-ups.ts";

const beatMilliseconds = 1000;
/** Of a kind. A browser looks at one page at a time; a user may have several browsers, and several apps. */
const streamsEach = 6;
/** `npm run bench live` measures what they take. */
const streamsAtOnce = 5000;

/** A user with open pages or apps. */
interface Listener {
  user: UserId;
  streams: Set<LiveStream>;
  /** Of what was read when they were told last: once it changes, there may be something to tell. */
  recording: Recording | undefined;
}

/**
 * The open pages and apps of this process. What a user is told is recorded as it is read; the memory says when
 * anything of it changes, and then that user is looked at again. Nothing is asked while nothing happens. See
 * docs/decisions/0032.
 */
export class Hub {
  readonly #ctx: Ctx;
  readonly #listeners = new Map<UserId, Listener>();
  readonly #wakeUps = new WakeUps<Listener>((listener) => this.#look(listener));
  #size = 0;
  #beating: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(ctx: Ctx) {
    this.#ctx = ctx;
  }

  /** Throws Unavailable if this process has as many as it can hold. */
  requireRoom(): void {
    if (this.#closed || this.#size >= streamsAtOnce) throw new Unavailable("too many streams");
  }

  /** Until it ends, or its client leaves, which may have been before it began. */
  add(stream: LiveStream, res: Response): void {
    if (res.closed) return;
    res.once("close", () => this.#remove(stream));
    const { user, kind } = stream;
    const listener = this.#listeners.get(user) ?? {
      user,
      streams: new Set(),
      recording: undefined,
    };
    this.#listeners.set(user, listener);
    listener.streams.add(stream);
    this.#size += 1;
    const alike = [...listener.streams].filter((one) => one.kind === kind);
    const [oldest] = alike;
    if (alike.length > streamsEach && oldest !== undefined) this.#end(oldest);
    // They go on after the request that opened them.
    underNone(() => {
      this.#wakeUps.wake(listener);
      this.#beating ??= setInterval(() => this.#beat(), beatMilliseconds).unref();
    });
    stream.beat();
  }

  /** Removing what is not there is harmless. */
  #remove(stream: LiveStream): void {
    const listener = this.#listeners.get(stream.user);
    if (listener?.streams.delete(stream) !== true) return;
    this.#size -= 1;
    if (listener.streams.size > 0) return;
    listener.recording?.stop();
    this.#listeners.delete(listener.user);
    if (this.#size > 0) return;
    clearInterval(this.#beating);
    this.#beating = undefined;
  }

  /** Browsers and apps come back by themselves, to another process. */
  close(): void {
    this.#closed = true;
    for (const { streams } of this.#listeners.values())
      for (const stream of streams) {
        this.#remove(stream);
        stream.end("moving");
      }
  }

  #end(stream: LiveStream): void {
    this.#remove(stream);
    stream.end("over");
  }

  /** Times pass, connections break, Redis may tell of nothing: what does not count any more is made anew. */
  #beat(): void {
    const now = this.#ctx.now();
    for (const listener of this.#listeners.values()) {
      for (const stream of listener.streams) stream.beat();
      if (listener.recording?.isDue(now) !== false) this.#wakeUps.wake(listener);
    }
  }

  /** What fails is tried again with the next beat. */
  async #look(listener: Listener): Promise<void> {
    const recording = new Recording(this.#ctx.now());
    listener.recording?.stop();
    listener.recording = recording;
    try {
      await recorded(recording, async () => this.#tell(listener, recording));
      if (listener.streams.size > 0) recording.onChange(() => this.#wakeUps.wake(listener));
    } catch (error) {
      recording.spoil();
      if (!isOutage(error)) this.#ctx.log.error({ err: error }, "live");
    }
  }

  async #tell({ user, streams }: Listener, recording: Recording): Promise<void> {
    const viewer = await findUser(this.#ctx, user);
    for (const stream of streams)
      if (viewer === undefined || viewer.suspended || !(await stream.isAllowed(viewer)))
        this.#end(stream);
      else if (!(await stream.tell(viewer))) recording.spoil();
  }
}
