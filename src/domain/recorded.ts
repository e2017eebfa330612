import type { Ctx } from "../context.ts";
import { Recording } from "../redis/memory/recording.ts";
import { current } from "./scope.ts";

export { Recording };

/** Runs `work` outside of a request: reads go through the memory and are recorded, without a deadline. */
export async function recorded<Result>(
  recording: Recording,
  work: () => Promise<Result>,
): Promise<Result> {
  const deadline = { passed: false, writes: false, apart: 0, apartEnded: -Infinity };
  return await current.run({ deadline, recording, isAside: false }, work);
}

/**
 * For work that the page does not depend on (a count, a repair), or only until a time that the caller passes
 * to `goodUntil`, or that reads much, once. Reads go to Redis itself, not to the memory.
 */
export async function aside<Result>(work: () => Promise<Result>): Promise<Result> {
  const scope = current.getStore();
  if (scope === undefined) return await work();
  return await current.run({ ...scope, recording: undefined, isAside: true }, work);
}

/** The page must be made again from this time on, in milliseconds since 1970. */
export function goodUntil(moment: number): void {
  current.getStore()?.recording?.goodUntil(moment);
}

/** `ctx.now()` for callers that pass to `goodUntil` when their result changes. */
export function steadyNow(ctx: Ctx): number {
  const scope = current.getStore();
  return scope === undefined ? ctx.now() : current.run({ ...scope, recording: undefined }, ctx.now);
}
