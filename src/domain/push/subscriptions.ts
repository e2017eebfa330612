import type { Ctx } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { recordsAt } from "../../redis/json-records.ts";
import { keys, mostOf } from "../../redis/keys.ts";
import { required } from "../errors.ts";
import type { UserId } from "../ids.ts";
import { bestEffort } from "../outage.ts";
import { stampAt } from "../stamp.ts";
import { absoluteSeconds, sessionPrefix } from "../users/sessions.ts";
import type { User } from "../users/store.ts";
import { checkEndpoint, type PushEndpoint } from "./endpoints.ts";
import {
  type Choice,
  type Failing,
  type Holder,
  type Owner,
  sealOf,
  type Stored,
  type Subscription,
  toSubscription,
} from "./subscription.ts";

const recordsOf = recordsAt<Stored, UserId>(keys.push);

/** Replaces the holder's earlier subscription. Drops the oldest if browsers and apps have too many. May run twice. Throws Invalid. */
export async function subscribe(
  ctx: Ctx,
  user: Owner,
  holder: Holder,
  input: Choice & PushEndpoint & { standard: boolean },
): Promise<void> {
  const endpoint = checkEndpoint(ctx.config, input);
  const token = holder.by === "app" ? holder.token : undefined;
  const stored: Stored = {
    by: holder.by,
    sealed: sealOf(ctx).close(JSON.stringify({ ...endpoint, token }), `${user.id} ${holder.id}`),
    standard: input.standard,
    alerts: [...input.alerts],
    policy: input.policy,
    generation: user.generation,
    created_at: stampAt(ctx.now(), user.id),
    ...(holder.by === "app" ? { app: holder.app } : { device: holder.device }),
  };
  await recordsOf(ctx, user.id).write(holder.id, stored);
  const newestFirst = await listSubscriptions(ctx, user);
  await dropSubscriptions(ctx, user, newestFirst.slice(mostOf("push")));
}

/** Throws NotFound without a subscription. */
export async function changeSubscription(ctx: Ctx, user: User, holder: string, choice: Choice) {
  const stored = required(await findSubscription(ctx, user, holder), "subscription");
  const change = { alerts: [...choice.alerts], policy: choice.policy };
  await rewrite(ctx, user, stored, change);
}

/** Notes how its pushes fare. Does nothing if it has changed meanwhile. */
export async function noteFailing(
  ctx: Ctx,
  user: User,
  one: Subscription,
  failing: Failing | undefined,
): Promise<void> {
  if (failing !== one.failing) await rewrite(ctx, user, one, { failing });
}

async function rewrite(
  ctx: Ctx,
  { id }: User,
  { holder, stored }: Subscription,
  change: Omit<Partial<Stored>, "failing"> & { failing?: Failing | undefined },
): Promise<void> {
  const next = { ...(JSON.parse(stored) as Stored), ...change };
  await recordsOf(ctx, id).replace({ field: holder.id, text: stored }, next);
}

/** By the id of the holder. */
export async function findSubscription(
  ctx: Ctx,
  user: Owner,
  holder: string,
): Promise<Subscription | undefined> {
  const stored = await recordsOf(ctx, user.id).find(holder);
  return stored && toSubscription(ctx, user, holder, stored.text);
}

export async function endSubscription(ctx: Ctx, { id }: Pick<User, "id">, holder: string) {
  await ctx.redis.hdel(keys.push(id), holder);
}

/**
 * Those whose session or token is still good at this moment, newest first. Ended ones are removed: a crash, or the
 * end of a session by its age, leaves some.
 */
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
export async function dropSubscriptions(
  ctx: Ctx,
  { id }: Pick<User, "id">,
  dropped: Subscription[],
): Promise<void> {
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
