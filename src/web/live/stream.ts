import type { UserId } from "../../domain/ids.ts";
import type { User } from "../../domain/users/store.ts";

/** Something open that a user listens to, as the hub knows it. */
export interface LiveStream {
  readonly user: UserId;
  /** Each user may have so many of a kind. */
  readonly kind: "page" | "app";
  /** Whether the session or token with which it was opened is still good. */
  isAllowed(viewer: User): Promise<boolean>;
  /** Tells what is new. What it reads decides when it is called again; false: soon, as there is more to tell. */
  tell(viewer: User): Promise<boolean>;
  /** Once a second. */
  beat(): void;
  /** "over": it is to stay away. "moving": it may come back, to another process. */
  end(why: "over" | "moving"): void;
}
