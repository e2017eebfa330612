import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { followedAmong } from "../graph/follows.ts";
import type { UserId } from "../ids.ts";
import { isOnFirstDay, limiterOf, type LimitState } from "../limiter.ts";
import { type Holder, limitOf } from "../limits.ts";
import { findUser } from "../users/store.ts";

/**
 * Whether a notification would bury others: the user does not follow the actor and has had enough notifications
 * of that account today, or of all such accounts on their first day together. Counts the action, if it is a new
 * one: `member` of the list.
 */
export async function isFlood(
  ctx: Ctx,
  { to, actor, member }: { to: UserId; actor: UserId; member: string },
): Promise<boolean> {
  if ((await followedAmong(ctx, to, [actor])).has(actor)) return false;
  const [known, user] = await Promise.all([
    ctx.redis.zscore(keys.notifications(to), member),
    findUser(ctx, actor),
  ]);
  if (known !== null || user === undefined) return false;
  const isNew = isOnFirstDay(ctx, user);
  const ownLimit = await take(ctx, "notices", isNew ? "newAccount" : "account", `${actor}:${to}`);
  if (ownLimit.refused || !isNew) return ownLimit.refused;
  const isFirst = ownLimit.left === ownLimit.limit - 1;
  const shared = isFirst ? "newcomerFirstNotices" : "newcomerNotices";
  return (await take(ctx, shared, "account", to)).refused;
}

async function take(
  ctx: Ctx,
  act: "notices" | "newcomerNotices" | "newcomerFirstNotices",
  holder: Holder,
  who: string,
): Promise<LimitState> {
  return await limiterOf(ctx, `${act}:${holder}`, limitOf(ctx.config, act, holder)).take(who);
}
