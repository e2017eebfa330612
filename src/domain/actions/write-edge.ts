import type { Ctx } from "../../context.ts";
import { promiseRemoval } from "../promises.ts";
import { stampAt } from "../ids.ts";

/** A kind of relation from a user to another user or a tweet: follow, block, mute, like, bookmark. */
export interface EdgeKind<Edge> {
  /** The owner's list, a sorted set by stamp. It is the truth: the edge exists if its member does. */
  list(edge: Edge): string;
  member(edge: Edge): string;
  /** Promises the job that calls `reconcile`, in case this process ends first. */
  promise?(ctx: Ctx, edge: Edge): Promise<void>;
  /** Makes all other data agree with the list. May run twice. */
  reconcile?(ctx: Ctx, edge: Edge): Promise<void>;
  /** Works even if Redis is full. */
  isProtective?: boolean;
}

/** Writes promise, truth and mirrors, in this order. Does nothing for an existing edge. */
export async function addEdge<Edge>(ctx: Ctx, kind: EdgeKind<Edge>, edge: Edge): Promise<void> {
  const promise = async () => kind.promise?.(ctx, edge);
  await (kind.isProtective === true ? promiseRemoval(ctx, promise) : promise());
  const member = kind.member(edge);
  const entry = [kind.list(edge), "NX", stampAt(ctx.now(), member), member] as const;
  await (kind.isProtective === true ? ctx.redis.addAnyway(...entry) : ctx.redis.zadd(...entry));
  await kind.reconcile?.(ctx, edge);
}

/**
 * The same for removing an edge. Taking back has no limit, so a missing edge promises nothing: jobs stay as few as
 * the edges that were added. Its mirrors are still made to agree, as a failover may have lost the edge alone.
 */
export async function removeEdge<Edge>(ctx: Ctx, kind: EdgeKind<Edge>, edge: Edge): Promise<void> {
  const [list, member] = [kind.list(edge), kind.member(edge)];
  if ((await ctx.redis.zscore(list, member)) !== null) {
    await promiseRemoval(ctx, async () => kind.promise?.(ctx, edge));
    await ctx.redis.zrem(list, member);
  }
  await kind.reconcile?.(ctx, edge);
}
