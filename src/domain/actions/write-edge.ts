import type { Ctx } from "../../context.ts";
import { promiseRemoval } from "../promises.ts";
import { stampAt } from "../stamp.ts";

/** A way in which a user is bound to another user or to a tweet: follow, block, mute, like, bookmark. */
export interface EdgeKind<Edge> {
  /** The owner's list, a sorted set by stamp. It is the truth: the edge is there if its member is. */
  list(edge: Edge): string;
  member(edge: Edge): string;
  /** Promises the job that calls `reconcile`, should this process end before it does. */
  promise?(ctx: Ctx, edge: Edge): Promise<void>;
  /** Makes everything else agree with the list. May run twice. */
  reconcile?(ctx: Ctx, edge: Edge): Promise<void>;
  /** Works in a full memory, too. */
  isProtective?: boolean;
}

/** Promise, truth, mirrors. Adding an edge that is there changes nothing. */
export async function addEdge<Edge>(ctx: Ctx, kind: EdgeKind<Edge>, edge: Edge): Promise<void> {
  const promise = async () => kind.promise?.(ctx, edge);
  await (kind.isProtective === true ? promiseRemoval(ctx, promise) : promise());
  const member = kind.member(edge);
  const entry = [kind.list(edge), "NX", stampAt(ctx.now(), member), member] as const;
  await (kind.isProtective === true ? ctx.redis.addAnyway(...entry) : ctx.redis.zadd(...entry));
  await kind.reconcile?.(ctx, edge);
}

/** The same for taking it away. Removing what is not there changes nothing. */
export async function removeEdge<Edge>(ctx: Ctx, kind: EdgeKind<Edge>, edge: Edge): Promise<void> {
  await promiseRemoval(ctx, async () => kind.promise?.(ctx, edge));
  await ctx.redis.zrem(kind.list(edge), kind.member(edge));
  await kind.reconcile?.(ctx, edge);
}
