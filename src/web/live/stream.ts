import type { UserId } from "../../domain/ids.ts";
import type { User } from "../../domain/users/store.ts";

/** An open page or app of a user, as the hub knows it. */
export interface LiveStream {
  readonly user: UserId;
  /** The number of streams of a user is bounded for each kind. */
  readonly kind: "page" | "app";
  /** Called when there may be something to send, or the session or token may have ended. */
  onChange: () => void;
  /** Whether the session or token with which it was opened is still valid. */
  isAllowed(viewer: User): boolean | Promise<boolean>;
  /** Sends what is new. */
  update(): void | Promise<void>;
  /** Whether an update is due though `onChange` was not called; `now` in milliseconds since 1970. */
  isDue(now: number): boolean;
  /** Every few seconds: keeps the connection open, and finds out whether the client is gone. */
  beat(): void;
  /** "over": the client must not come back. "moving": it may, to another process. */
  end(why: "over" | "moving"): void;
  /** From now on `onChange` is not called. */
  stop(): void;
}

/** What an app is told: a status, an edited one, a notification, or the id of a deleted status. */
export interface LiveEvent {
  name: "update" | "status.update" | "notification" | "delete";
  /** JSON, or an id. */
  data: string;
  /** Name of the stream, and its hashtag or list. */
  stream: readonly string[];
}

/** A connection to an app: server-sent events or a WebSocket. Bounds what is unsent, see decision 21. */
export interface Wire {
  /** Whether all that was written is on its way. */
  readonly isTaken: boolean;
  /** Drops a client with too much unsent. */
  send(event: LiveEvent): void;
  /** To be called every few seconds: keeps the connection open through proxies, and drops clients that are gone. */
  beat(): void;
  /** "over": the token or its user has ended. "moving": the process ends. */
  end(why: "over" | "moving"): void;
}
