import type { Stream } from "node:stream";
import type { Ctx } from "../../context.ts";
import { runWithoutDeadline } from "../../domain/deadline.ts";
import { Unavailable } from "../../domain/errors.ts";
import type { UserId } from "../../domain/ids.ts";
import { isOutage } from "../../domain/outage.ts";
import { findUser, type User } from "../../domain/users/store.ts";
import { WakeUps } from "./wake-ups.ts";
import { Watched } from "./watched.ts";
import type { Connection } from "./wires.ts";

const beatMilliseconds = 1000;
/** Max streams of one kind for each user: several browsers with one visible page each, or several apps. */
const streamsEach = 6;
/** Max streams of this process; `npm run bench -- live` measures their cost. */
const streamsAtOnce = 5000;

/** Number of parts of the listeners; each beat handles one part. */
const slices = 5;

/** Whether a stream may still be sent anything. */
export type MayHear = () => boolean | Promise<boolean>;

/** An open page or app of a user. */
export interface LiveStream {
  readonly user: UserId;
  /** The number of streams of a user is bounded for each kind. */
  readonly kind: "page" | "app";
  readonly wire: Connection;
  /** Called when there may be something to send, or the session or token may have ended. */
  onChange: () => void;
  /** Whether the session or token with which it was opened is still valid. */
  isAllowed(viewer: User): boolean | Promise<boolean>;
  /** Sends what is new; what it has waited for, only if `mayHear` says so then. */
  update(mayHear: MayHear): void | Promise<void>;
  /** Whether an update is due though `onChange` was not called; `now` in milliseconds since 1970. */
  isDue(now: number): boolean;
  /** From now on `onChange` is not called. */
  stop(): void;
}

/** A user with open pages or apps. */
interface Listener {
  viewer: Watched<User | undefined>;
  streams: Set<LiveStream>;
}

/**
 * The open pages and apps of this process. All reads for a user are recorded: when the memory reports a change of one,
 * the user is looked at again, and only the changed part is read again. See docs/decisions/0007.
 */
export class Hub {
  readonly #ctx: Ctx;
  readonly #listeners = new Map<UserId, Listener>();
  readonly #wakeUps = new WakeUps<Listener>((listener) => this.#look(listener));
  /** To be looked at again with the next beat. */
  readonly #unsettled = new Set<Listener>();
  #size = 0;
  #beats = 0;
  #beating: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(ctx: Ctx) {
    this.#ctx = ctx;
  }

  /**
   * Call before a stream is opened. If this process has as many as it can hold, a user with the most streams loses the
   * oldest. Throws Unavailable if each user has only one.
   */
  requireRoom(): void {
    if (this.#closed) throw new Unavailable("too many streams");
    if (this.#size < streamsAtOnce) return;
    const all = [...this.#listeners.values()].map(({ streams }) => streams);
    const most = all.reduce((one, other) => (other.size > one.size ? other : one));
    const [oldest] = most;
    if (oldest === undefined || most.size < 2) throw new Unavailable("too many streams");
    this.#end(oldest);
  }

  /**
   * Until it ends, or its client leaves, which may have been before it began. `below`: the response of a stream of
   * events, or the socket below a WebSocket.
   */
  add(stream: LiveStream, below: Pick<Stream, "once"> & { readonly closed: boolean }): void {
    if (below.closed) return;
    below.once("close", () => this.#remove(stream));
    const { user, kind } = stream;
    const listener = this.#listeners.get(user) ?? this.#newListener(user);
    listener.streams.add(stream);
    stream.onChange = () => this.#wakeUps.wake(listener);
    this.#size += 1;
    const alike = [...listener.streams].filter((one) => one.kind === kind);
    const [oldest] = alike;
    if (alike.length > streamsEach && oldest !== undefined) this.#end(oldest);
    // Timers go on after the request that started them.
    runWithoutDeadline(() => {
      this.#wakeUps.wake(listener);
      this.#beating ??= setInterval(() => this.#beat(), beatMilliseconds).unref();
    });
    stream.wire.beat();
  }

  #newListener(user: UserId): Listener {
    const changed = () => this.#wakeUps.wake(listener);
    const viewer = new Watched(() => findUser(this.#ctx, user), changed);
    const listener: Listener = { viewer, streams: new Set() };
    this.#listeners.set(user, listener);
    return listener;
  }

  /** Removing what is not there is harmless. */
  #remove(stream: LiveStream): void {
    const listener = this.#listeners.get(stream.user);
    if (listener?.streams.delete(stream) !== true) return;
    stream.stop();
    this.#size -= 1;
    if (listener.streams.size > 0) return;
    listener.viewer.stop();
    this.#unsettled.delete(listener);
    this.#listeners.delete(stream.user);
    if (this.#size > 0) return;
    clearInterval(this.#beating);
    this.#beating = undefined;
  }

  count(kind: LiveStream["kind"]): number {
    const all = [...this.#listeners.values()].flatMap(({ streams }) => [...streams]);
    return all.filter((one) => one.kind === kind).length;
  }

  /** Browsers and apps come back by themselves, to another process. */
  close(): void {
    this.#closed = true;
    for (const { streams } of this.#listeners.values())
      for (const stream of streams) this.#end(stream, "moving");
  }

  #end(stream: LiveStream, why: "over" | "moving" = "over"): void {
    this.#remove(stream);
    stream.wire.end(why);
  }

  /** Finds changes that cause no wake-up: a time has passed, a connection broke, the memory made room. */
  #beat(): void {
    const now = this.#ctx.now();
    for (const listener of this.#unsettled) this.#wakeUps.wake(listener);
    this.#unsettled.clear();
    this.#beats += 1;
    let nth = this.#beats;
    for (const listener of this.#listeners.values()) {
      nth += 1;
      if (nth % slices !== 0) continue;
      for (const stream of listener.streams) stream.wire.beat();
      if (isDue(listener, now)) this.#wakeUps.wake(listener);
    }
  }

  async #look(listener: Listener): Promise<void> {
    try {
      for (const stream of listener.streams) {
        const mayHear = () => this.#mayHear(listener, stream);
        const allowed = mayHear();
        if (allowed instanceof Promise ? await allowed : allowed) await stream.update(mayHear);
        else this.#end(stream);
      }
    } catch (error) {
      if (!isOutage(error)) this.#ctx.log.error({ err: error }, "live");
    }
    // The look failed, or there is more to send, or Redis does not report changes.
    if (listener.streams.size > 0 && isDue(listener, this.#ctx.now()))
      this.#unsettled.add(listener);
  }

  /** A promise only if something has to be read again. */
  #mayHear({ viewer }: Listener, stream: LiveStream): boolean | Promise<boolean> {
    const isAllowed = (user: User | undefined) =>
      user?.suspended === false && stream.isAllowed(user);
    const user = viewer.get(this.#ctx.now());
    return user instanceof Promise ? user.then(isAllowed) : isAllowed(user);
  }
}

function isDue({ viewer, streams }: Listener, now: number): boolean {
  return viewer.isDue(now) || [...streams].some((stream) => stream.isDue(now));
}
