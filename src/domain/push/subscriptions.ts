import type { Ctx } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { recordsAt } from "../../redis/json-records.ts";
import { keys, mostOf } from "../../redis/keys.ts";
import { type ClientId, parseClientId, type Stamp, type UserId, stampAt } from "../ids.ts";
import { type Seal, sealWith } from "../secrets.ts";
import type { User } from "../users/store.ts";
import { required } from "../errors.ts";
import { bestEffort } from "../outage.ts";
import { absoluteSeconds, sessionPrefix } from "../users/sessions.ts";
import { type PushEndpoint, checkEndpoint } from "./endpoints.ts";

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

/** A choice whose policy may be left out. */
export type ChoiceEdit = Pick<Choice, "alerts"> & { policy?: Policy | undefined };

/** What a subscription belongs to, and ends with. `id`: that of the session, or the digest of the token. */
type Holder =
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
  /** Milliseconds since 1970; `last`: of the last try, not known of older ones. */
  since: number;
  last?: number;
  times: number;
}

/** `sealed`: the address and the keys, and the token of an app, see Holder. */
interface Stored {
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
function sealOf({ config }: Ctx): Seal {
  if (config.sessionSecret === undefined) throw new TypeError("no SESSION_SECRET, see boot.ts");
  return sealWith(config.sessionSecret, "push subscription");
}

type Owner = Pick<User, "id" | "generation">;

/** Undefined if it was sealed with another secret, or if the user has left its generation. */
function toSubscription(ctx: Ctx, user: Owner, id: string, text: string): Subscription | undefined {
  const stored = JSON.parse(text) as Stored;
  if (stored.generation !== user.generation) return undefined;
  const opened = sealOf(ctx).open(stored.sealed, `${user.id} ${id}`);
  if (opened === undefined) return undefined;
  const { token = "", ...endpoint } = JSON.parse(opened) as PushEndpoint & { token?: string };
  const { by, standard, policy, created_at: createdAt, failing, device = "" } = stored;
  const about = { alerts: new Set(stored.alerts), standard, policy, createdAt, failing };
  const app = parseClientId(stored.app ?? "");
  const holder = by === "browser" ? { by, id, device } : app && { by, id, app, token };
  return holder && { ...endpoint, ...about, holder, stored: text };
}

const recordsOf = recordsAt<Stored, UserId>(keys.push);

/**
 * Replaces the holder's earlier subscription: at the same address its failures still count. Drops the oldest if
 * browsers and apps have too many. May run twice. Throws Invalid.
 */
export async function subscribe(
  ctx: Ctx,
  user: Owner,
  holder: Holder,
  input: Choice & PushEndpoint & { standard: boolean },
): Promise<void> {
  const endpoint = checkEndpoint(ctx.config, input);
  const token = holder.by === "app" ? holder.token : undefined;
  const before = await findSubscription(ctx, user, holder.id);
  const failing = before?.endpoint === endpoint.endpoint ? before.failing : undefined;
  const stored: Stored = {
    by: holder.by,
    sealed: sealOf(ctx).close(JSON.stringify({ ...endpoint, token }), `${user.id} ${holder.id}`),
    standard: input.standard,
    alerts: [...input.alerts],
    policy: input.policy,
    generation: user.generation,
    created_at: stampAt(ctx.now(), user.id),
    ...(holder.by === "app" ? { app: holder.app } : { device: holder.device }),
    ...(failing && { failing }),
  };
  await recordsOf(ctx, user.id).write(holder.id, stored);
  const newestFirst = await listSubscriptions(ctx, user);
  await dropSubscriptions(ctx, user, newestFirst.slice(mostOf("push")));
}

/** A policy that is left out stays. Throws NotFound without a subscription. */
export async function changeSubscription(
  ctx: Ctx,
  user: User,
  holder: string,
  { alerts: chosen, policy }: ChoiceEdit,
): Promise<void> {
  required(await findSubscription(ctx, user, holder), "subscription");
  const changed = await recordsOf(ctx, user.id).change(holder, (stored) => ({
    ...stored,
    alerts: [...chosen],
    policy: policy ?? stored.policy,
  }));
  required(changed, "subscription");
}

/** Notes how its pushes fare. Returns it as it is then; does nothing and returns undefined if it has changed meanwhile. */
export async function noteFailing(
  ctx: Ctx,
  { id }: User,
  one: Subscription,
  failing: Failing | undefined,
): Promise<Subscription | undefined> {
  if (failing === one.failing) return one;
  const { failing: _before, ...rest } = JSON.parse(one.stored) as Stored;
  const next = failing === undefined ? rest : { ...rest, failing };
  const record = { field: one.holder.id, text: one.stored };
  const isNoted = await recordsOf(ctx, id).replace(record, next);
  return isNoted ? { ...one, failing, stored: JSON.stringify(next) } : undefined;
}

/** By the id of the holder. */
export async function findSubscription(ctx: Ctx, user: Owner, holder: string) {
  const stored = await recordsOf(ctx, user.id).find(holder);
  return stored && toSubscription(ctx, user, holder, stored.text);
}

export async function endSubscription(ctx: Ctx, { id }: Pick<User, "id">, holder: string) {
  await ctx.redis.hdel(keys.push(id), holder);
}

/** Those whose session or token is good at this moment, newest first. Ended ones, as after a crash, are removed. */
export async function listSubscriptions(ctx: Ctx, user: Owner): Promise<Subscription[]> {
  const records = recordsOf(ctx, user.id);
  const stored = await records.list();
  const all = stored.map(({ field, text }) => toSubscription(ctx, user, field, text));
  const good = await Promise.all(
    all.map(async (one) => one !== undefined && (await isOpen(ctx, user, one.holder))),
  );
  await bestEffort(records.removeUnchanged(stored.filter((_, index) => good[index] !== true)));
  return all
    .filter((one, index): one is Subscription => one !== undefined && good[index] === true)
    .toSorted((one, other) => other.createdAt - one.createdAt);
}

/** Removes those that have not changed meanwhile. */
export async function dropSubscriptions(ctx: Ctx, { id }: Owner, dropped: Subscription[]) {
  const records = dropped.map(({ holder, stored }) => ({ field: holder.id, text: stored }));
  await recordsOf(ctx, id).removeUnchanged(records);
}

/** Reads the truth. The generation is checked by toSubscription. */
async function isOpen(ctx: Ctx, { id }: Pick<User, "id">, holder: Holder): Promise<boolean> {
  if (holder.by === "app") return (await ctx.redis.hexists(keys.tokens(id), holder.id)) === 1;
  const [since, data] = await exec(ctx.redis, [
    ["zscore", keys.sessions(id), holder.id],
    ["exists", sessionPrefix + holder.id],
  ]);
  const end = Number(since) / 1000 + absoluteSeconds * 1000;
  return since !== null && data === 1 && end > ctx.now();
}
