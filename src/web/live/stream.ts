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
