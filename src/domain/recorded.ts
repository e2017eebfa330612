import type { Ctx } from "../context.ts";
import { Recording } from "../redis/memory/recording.ts";
import { current } from "./scope.ts";

export { Recording };

/** Reads by `work`, which is no request: through the memory, recorded, under no deadline. */
export async function recorded<Result>(
  recording: Recording,
  work: () => Promise<Result>,
): Promise<Result> {
  const deadline = { passed: false, writes: false, apart: 0, apartEnded: -Infinity };
  return await current.run({ deadline, recording, isAside: false }, work);
}

/**
 * Work on which the page that is being made does not depend (a count, a repair), or only until a moment that the
 * caller tells `goodUntil`; or that reads much, once. Commands go to Redis itself, not to the memory.
 */
export async function aside<Result>(work: () => Promise<Result>): Promise<Result> {
  const scope = current.getStore();
  if (scope === undefined) return await work();
  return await current.run({ ...scope, recording: undefined, isAside: true }, work);
}

/** The page that is being made is to be made anew from that moment on, in milliseconds since 1970. */
export function goodUntil(moment: number): void {
  current.getStore()?.recording?.goodUntil(moment);
}

/** `ctx.now()` for those who tell by `goodUntil` when what they make of it changes. */
export function steadyNow(ctx: Ctx): number {
  const scope = current.getStore();
  return scope === undefined ? ctx.now() : current.run({ ...scope, recording: undefined }, ctx.now);
}
