import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { followedAmong } from "../graph/follows.ts";
import type { UserId } from "../ids.ts";
import { isOnFirstDay, limiterOf } from "../limiter.ts";
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
  const own = limiterOf(ctx, isNew ? "notices:newAccount" : "notices:account");
  const { refused, left, limit } = await own.take(`${actor}:${to}`);
  if (refused || !isNew) return refused;
  const isFirst = left === limit - 1;
  const shared = limiterOf(ctx, isFirst ? "notices:newcomersFirst" : "notices:newcomers");
  return (await shared.take(to)).refused;
}
