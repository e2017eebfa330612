import { createHmac } from "node:crypto";
import type { Ctx } from "../../context.ts";
import type { UserId } from "../ids.ts";
import { isOnFirstDay, type Limiter, limiterOf } from "../limiter.ts";
import { actLimits, type Budget, type Holder, limitOf, type Limits } from "../limits.ts";
import { findUser } from "./store.ts";

/** Who pays for stored data and for work: an account and, where it is known, its network; see networkOf. */
export interface Payer {
  user: UserId;
  from?: string | undefined;
}

/** An address as jobs and imports keep it, so that its budgets count: a digest, as no address is stored there. */
export function networkOf({ config }: Ctx, address: string): string {
  const secret = config.sessionSecret ?? "";
  return createHmac("sha256", secret).update(`network ${address}`).digest("base64url").slice(0, 22);
}

/**
 * Whether a budget of the day is spent. Asked before the work and charged after it, so that only what was done
 * counts; work that is running at that moment may exceed the budget.
 */
export async function isBudgetSpent(ctx: Ctx, budget: Budget, payer: Payer): Promise<boolean> {
  const counters = await countersOf(ctx, budget, payer);
  const states = await Promise.all(counters.map(([limiter, who]) => limiter.look(who)));
  return states.some(({ refused }) => refused);
}

/** Charges a budget. Repeated work that adds nothing costs nothing. */
export async function chargeBudget(
  ctx: Ctx,
  budget: Budget,
  payer: Payer,
  points: number,
): Promise<void> {
  if (points <= 0) return;
  const counters = await countersOf(ctx, budget, payer);
  await Promise.all(counters.map(([limiter, who]) => limiter.take(who, points)));
}

async function countersOf(
  ctx: Ctx,
  budget: Budget,
  { user, from }: Payer,
): Promise<[Limiter, who: string][]> {
  const { address, firstDay }: Limits = actLimits[budget];
  const account = firstDay === true ? await findUser(ctx, user) : undefined;
  const isNew = account !== undefined && isOnFirstDay(ctx, account);
  const limiterFor = (holder: Holder) =>
    limiterOf(ctx, `${budget}:${holder}`, limitOf(ctx.config, budget, holder));
  const own: [Limiter, string] = [limiterFor(isNew ? "newAccount" : "account"), user];
  if (address === undefined || from === undefined) return [own];
  return [own, [limiterFor(isNew ? "newAddress" : "address"), from]];
}
