import { AsyncLocalStorage } from "node:async_hooks";
import type { Ctx } from "../context.ts";
import { Recording } from "../redis/memory/recording.ts";

export { Recording };

/** Deadline of a request; it passes if the handler does not answer in time, whether the client waits or has left. */
export interface Deadline {
  passed: boolean;
  /** False for a request that only reads: its reads go through the memory. */
  writes: boolean;
  /** Number of running tasks that stop the clock; see pauseDeadline. */
  pauses: number;
  /** When the last of them ended, by performance.now(). */
  pauseEnded: number;
  /** Of a viewer who may write: throws if that right has ended, see holdRight. */
  requireRight?: (() => Promise<void>) | undefined;
  /** When that right was last seen to hold, by performance.now(). Without it, writes do not look at the right. */
  rightSeen?: number | undefined;
  /** A look at it, which writes wait for. */
  looking?: Promise<void> | undefined;
  /** That right, for what is promised by it. */
  right?: Right | undefined;
}

/** A session, by its handle, or an app. */
export type Holder = `device:${string}` | `client:${string}`;

/** By what a user promises work for later: see users/promised.ts. */
export interface Right {
  /** See User.generation. */
  generation: string;
  /** Absent outside of requests. */
  holder?: Holder | undefined;
  /** True since the user has logged its holder out from elsewhere. */
  ended?: boolean | undefined;
}

/** The scope of running code: a request, or a refresh of an open page. */
export interface RunningScope {
  deadline: Deadline;
  /** Records what is being made, if it may be kept. */
  recording: Recording | undefined;
  /** Reads go to Redis itself and are not recorded. */
  isUnrecorded: boolean;
  /** Writes are allowed without a look at the right of the viewer; see withoutRight. */
  needsNoRight?: boolean;
  /** Id of the request; of a job, that of the request that promised it. */
  request?: string | undefined;
}

/** Code that is started in a scope finds it here, however late it runs. */
export const currentScope = new AsyncLocalStorage<RunningScope>();

/** A deadline of work that only reads. It passes when its owner says so. */
export function readingDeadline(): Deadline {
  return { passed: false, writes: false, pauses: 0, pauseEnded: -Infinity };
}

/**
 * Runs `work`, and all that it starts, in a new scope: reads go through the memory, unless `deadline.writes`, and are
 * recorded. `request`: its id, or that of the request that promised the work.
 */
export function recorded<Result>(
  recording: Recording | undefined,
  work: () => Result,
  deadline = readingDeadline(),
  request?: string,
): Result {
  return currentScope.run({ deadline, recording, isUnrecorded: false, request }, work);
}

/** Runs `work` in the present scope, if there is one, with a change. */
function changed<Result>(change: Partial<RunningScope>, work: () => Result): Result {
  const scope = currentScope.getStore();
  return scope === undefined ? work() : currentScope.run({ ...scope, ...change }, work);
}

/** Runs a part of a page whose inputs are recorded by themselves. */
export function recordedApart<Result>(
  recording: Recording | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  return recording === undefined ? work() : changed({ recording }, work);
}

/**
 * For work that the page does not depend on (a count, a repair), or only until a time that the caller passes
 * to `expiresAt`, or that reads much, once. Reads go to Redis itself, not to the memory.
 */
export function withoutCaching<Result>(work: () => Promise<Result>): Promise<Result> {
  return changed({ recording: undefined, isUnrecorded: true }, work);
}

/** For work that outlives the viewer's right: a look at it, taking back a write, what follows a post made in time. */
export async function withoutRight<Result>(work: () => Promise<Result>): Promise<Result> {
  return await changed({ needsNoRight: true }, work);
}

/** The page must be made again from this time on, in milliseconds since 1970. */
export function expiresAt(moment: number): void {
  currentScope.getStore()?.recording?.expiresAt(moment);
}

/** `ctx.now()` for callers that pass to `expiresAt` when their result changes. */
export function withoutCachingNow(ctx: Ctx): number {
  return changed({ recording: undefined }, () => ctx.now());
}
