import { createHmac } from "node:crypto";
import type { Ctx } from "../../context.ts";
import type { UserId } from "../ids.ts";
import { isOnFirstDay, type Limiter, limiterOf } from "../limiter.ts";
import { costs, type CountedVerb, type LimitClass, limitRows } from "../limit-classes.ts";
import { usualLimits } from "../limits.ts";
import { findUser, type User } from "./store.ts";

/** Who pays for stored data and for work: an account and, where it is known, its network; see networkOf. */
export interface Payer {
  user: UserId;
  from?: string | undefined;
}

/** An address as it is counted: a digest, as jobs and imports keep it, and no address is stored there. */
export function networkOf({ config }: Ctx, address: string): string {
  const secret = config.sessionSecret ?? "";
  return createHmac("sha256", secret).update(`network ${address}`).digest("base64url").slice(0, 22);
}

export type Counter = [limiter: Limiter, who: string];

/** The counters of a class: none for a signed-out client where an account is needed. `isNew`: on its first day. */
export function countersOf(
  ctx: Ctx,
  limitClass: LimitClass,
  { user, from }: { user: User | undefined; from: string | undefined },
): { isNew: boolean; each: Counter[] } {
  const { by, firstDay } = limitRows[limitClass];
  const isNew = firstDay === true && user !== undefined && isOnFirstDay(ctx, user);
  const each: Counter[] = [];
  if (by !== "address" && user !== undefined)
    each.push([limiterOf(ctx, `${limitClass}:${isNew ? "newAccount" : "account"}`), user.id]);
  const hasAddress = usualLimits.has(`${limitClass}:address`);
  const isByAddress = by === "address" || (by === "either") === (user === undefined);
  if (hasAddress && isByAddress && from !== undefined)
    each.push([limiterOf(ctx, `${limitClass}:${isNew ? "newAddress" : "address"}`), from]);
  return { isNew, each };
}

/**
 * Whether the points for a verb are spent. Asked before work and charged after it, so that only what was done
 * counts; work that is running at that moment may exceed the limit.
 */
export async function isSpent(ctx: Ctx, verb: CountedVerb, payer: Payer): Promise<boolean> {
  const counters = await payingCounters(ctx, verb, payer);
  const states = await Promise.all(counters.map(([limiter, who]) => limiter.look(who)));
  return states.some(({ refused }) => refused);
}

/** Counts a verb that was done several times. Repeated work that adds nothing costs nothing. */
export async function charge(ctx: Ctx, verb: CountedVerb, payer: Payer, times: number) {
  if (times <= 0) return;
  const points = costs[verb].points * times;
  const counters = await payingCounters(ctx, verb, payer);
  await Promise.all(counters.map(([limiter, who]) => limiter.charge(who, points)));
}

async function payingCounters(ctx: Ctx, verb: CountedVerb, { user: id, from }: Payer) {
  const { limitClass } = costs[verb];
  return countersOf(ctx, limitClass, { user: await findUser(ctx, id), from }).each;
}
