import type { UserId } from "../../domain/ids.ts";
import type { User } from "../../domain/users/store.ts";

/** An open page or app of a user, as the hub knows it. */
export interface LiveStream {
  readonly user: UserId;
  /** Each user may have so many of a kind. */
  readonly kind: "page" | "app";
  /** Called when there may be something to tell, or the session or token may have ended. */
  onChange: () => void;
  /** Whether the session or token with which it was opened is still good. */
  isAllowed(viewer: User): Promise<boolean>;
  /** Tells what is new. */
  tell(): Promise<void>;
  /** Whether there may be something to tell though `onChange` was not called; `now` in milliseconds since 1970. */
  isDue(now: number): boolean;
  /** Every few seconds: keeps the connection open, and finds out whether the client is gone. */
  beat(): void;
  /** "over": it is to stay away. "moving": it may come back, to another process. */
  end(why: "over" | "moving"): void;
  /** `onChange` is not called any more. */
  stop(): void;
}
