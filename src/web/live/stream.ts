import type { UserId } from "../../domain/ids.ts";
import type { Stamp } from "../../domain/stamp.ts";
import type { User } from "../../domain/users/store.ts";

/** What may have changed for somebody. */
export interface News {
  home: boolean;
  notifications: boolean;
}

/** Something open that somebody listens to, as the hub knows it. */
export interface LiveStream {
  readonly user: UserId;
  /** Each person may have so many of a kind. */
  readonly kind: "page" | "app";
  /** What home holds above this stamp concerns it; undefined if home does not. */
  readonly after: Stamp | undefined;
  /** Milliseconds; when it was last known that it may be open. */
  checkedAt: number;
  /** Whether the session or token with which it was opened is still good. */
  isAllowed(): Promise<boolean>;
  /** Tells what is new; false if there is more to be told in the next round. */
  tell(viewer: User, news: News): Promise<boolean>;
  /** Once a second. */
  beat(): void;
  /** "over": it is to stay away. "moving": it may come back, to another process. */
  end(why: "over" | "moving"): void;
}
