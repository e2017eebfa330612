import type { Ctx } from "../../context.ts";
import { keys, mostOf } from "../../redis/keys.ts";
import { Invalid } from "../errors.ts";
import { type UserId, stampAt } from "../ids.ts";
import { addEdge, type EdgeKind, removeEdge } from "./write-edge.ts";

interface Mute {
  muter: UserId;
  muted: UserId;
}

/** A hundred years. */
const longestSeconds = 100 * 365 * 24 * 60 * 60;

/** For ever; mutes that end are in a list of their own. */
const muting: EdgeKind<Mute> = {
  list: ({ muter }) => keys.mutes(muter),
  member: ({ muted }) => muted,
  isProtective: true,
};

/**
 * Mutes for some seconds, or for ever; muting again starts again. The muted user is not notified. Between the two
 * writes the mute is in both lists, and so lasts. Throws Invalid if both are the same user, or if too many mutes
 * have an end.
 */
export async function mute(ctx: Ctx, edge: Mute, seconds?: number): Promise<void> {
  const { muter, muted } = edge;
  if (muter === muted) throw new Invalid({ form: "mute.self" });
  if (seconds === undefined) {
    await addEdge(ctx, muting, edge);
    await ctx.redis.zrem(keys.timedMutes(muter), muted);
    return;
  }
  const until = stampAt(ctx.now(), muted) + Math.min(seconds, longestSeconds) * 1e6;
  const bounds = [ctx.now() * 1000, muted, until, mostOf("timedMutes")] as const;
  // Those that have ended make room.
  if ((await ctx.redis.addBounded(keys.timedMutes(muter), ...bounds)) === 0)
    throw new Invalid({ form: "mute.many" });
  await removeEdge(ctx, muting, edge);
}

export async function unmute(ctx: Ctx, edge: Mute): Promise<void> {
  await removeEdge(ctx, muting, edge);
  await ctx.redis.zrem(keys.timedMutes(edge.muter), edge.muted);
}
