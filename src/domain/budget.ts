import type { Ctx } from "../context.ts";
import type { UserId } from "./ids.ts";
import { type Limiter, limiterOf } from "./limiter.ts";
import { type Budget, budgets } from "./limits.ts";

/**
 * Whether an account's budget of the day is spent. Asked before the work and charged after it, so that only
 * stored data counts; work that is running at that moment may exceed the budget.
 */
export async function isSpent(ctx: Ctx, budget: Budget, user: UserId): Promise<boolean> {
  return (await budgetOf(ctx, budget).look(user)).refused;
}

/** Charges an account for its data. Repeated work adds nothing, and costs nothing. */
export async function charge(
  ctx: Ctx,
  budget: Budget,
  { user, points }: { user: UserId; points: number },
): Promise<void> {
  if (points > 0) await budgetOf(ctx, budget).take(user, points);
}

function budgetOf(ctx: Ctx, budget: Budget): Limiter {
  const name = `budget:${budget}`;
  const { limits, limitFactor } = ctx.config;
  const row = budgets[budget];
  return limiterOf(ctx, name, { ...row, points: limits[name] ?? row.points * limitFactor });
}
