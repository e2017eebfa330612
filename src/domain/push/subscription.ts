import type { Ctx } from "../../context.ts";
import { type ClientId, parseClientId } from "../ids.ts";
import { type Seal, sealWith } from "../secrets.ts";
import type { Stamp } from "../stamp.ts";
import type { User } from "../users/store.ts";
import type { PushEndpoint } from "./endpoints.ts";

/** What may be pushed, by Mastodon's names; some of these never happen here. */
export const alerts = [
  "mention",
  "follow",
  "favourite",
  "reblog",
  "status",
  "follow_request",
  "poll",
  "update",
  "quote",
  "quoted_update",
  "admin.sign_up",
  "admin.report",
] as const;
export type Alert = (typeof alerts)[number];

/** Whose activities are pushed: of all, of those that the user follows, of the user's followers, of none. */
export const policies = ["all", "followed", "follower", "none"] as const;
export type Policy = (typeof policies)[number];

export interface Choice {
  alerts: ReadonlySet<Alert>;
  policy: Policy;
}

/** What a subscription belongs to, and ends with. `id`: that of the session, or the digest of the token. */
export type Holder =
  | { by: "browser"; id: string; device: string }
  | { by: "app"; id: string; app: ClientId; token: string };

export interface Subscription extends Choice, PushEndpoint {
  holder: Holder;
  /** Encrypted as RFC 8291 has it; false: by its draft of 2016, which older apps know. */
  standard: boolean;
  createdAt: Stamp;
  /** Pushes that failed since the last that arrived. */
  failing: Failing | undefined;
  /** Its stored form, to detect changes. */
  stored: string;
}

export interface Failing {
  /** Milliseconds since 1970. */
  since: number;
  times: number;
}

/** `sealed`: the address and the keys, and the token of an app, see Holder. */
export interface Stored {
  by: Holder["by"];
  sealed: string;
  standard: boolean;
  alerts: Alert[];
  policy: Policy;
  /** Of the user, see User.generation. */
  generation: string;
  created_at: Stamp;
  device?: string;
  app?: string;
  failing?: Failing;
}

/** Reading the database must not be enough to push to a device, or to act as its app. */
export function sealOf({ config }: Ctx): Seal {
  if (config.sessionSecret === undefined) throw new TypeError("no SESSION_SECRET, see boot.ts");
  return sealWith(config.sessionSecret, "push subscription");
}

/** The user whose subscriptions they are. */
export type Owner = Pick<User, "id" | "generation">;

/** Undefined if it was sealed with another secret, or if the user has left its generation. */
export function toSubscription(
  ctx: Ctx,
  user: Owner,
  holder: string,
  text: string,
): Subscription | undefined {
  const stored = JSON.parse(text) as Stored;
  if (stored.generation !== user.generation) return undefined;
  const opened = sealOf(ctx).open(stored.sealed, `${user.id} ${holder}`);
  if (opened === undefined) return undefined;
  const { token = "", ...endpoint } = JSON.parse(opened) as PushEndpoint & { token?: string };
  const app = parseClientId(stored.app ?? "");
  const { standard, policy, created_at: createdAt, failing, device = "" } = stored;
  const about = { alerts: new Set(stored.alerts), standard, policy, createdAt, failing };
  if (stored.by === "browser")
    return { ...endpoint, ...about, holder: { by: "browser", id: holder, device }, stored: text };
  if (app === undefined) return undefined;
  return { ...endpoint, ...about, holder: { by: "app", id: holder, app, token }, stored: text };
}
