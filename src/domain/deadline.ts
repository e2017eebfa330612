import type { Ctx, Jobs } from "../context.ts";
import type { RedisClient } from "../redis/redis-client.ts";
import { readCommandOf } from "../redis/memory/question.ts";
import type { Memory } from "../redis/memory.ts";
import type { Recording } from "../redis/memory/recording.ts";
import { Unavailable } from "./errors.ts";
import { expiresAt, currentScope, type RunningScope } from "./scope.ts";

/**
 * Work that a request waits for, but not because of Redis: the deadline does not pass meanwhile. A user with
 * the right password, among a flood of log-ins, waits for a turn instead of getting an error. Afterwards the right
 * of the viewer is checked again; if it has ended, that is the error, whatever else was refused.
 */
export async function pauseDeadline<Result>(work: () => Promise<Result>): Promise<Result> {
  const deadline = currentScope.getStore()?.deadline;
  if (deadline === undefined) return await work();
  deadline.pauses += 1;
  try {
    return await work();
  } finally {
    try {
      await deadline.requireRight?.();
    } finally {
      deadline.pauses -= 1;
      deadline.pauseEnded = performance.now();
    }
  }
}

/** Runs `work` without a deadline: repairs that run after the response. */
export function runWithoutDeadline(work: () => void): void {
  currentScope.exit(work);
}

/** Max milliseconds between the last look at the right of the viewer and a write. */
const rightMilliseconds = 100;

/** Max age in milliseconds of a page that depends on the time, unless it calls expiresAt; see withoutCachingNow. */
const pageMilliseconds = 1000;

/** One per target, so that caches by connection work with either object. */
const wrappers = new WeakMap<object, object>();
/** Wrapper → target. */
const targets = new WeakMap<object, object>();

/**
 * The context for requests and jobs; the same one for the same `ctx`. After the deadline of its scope has
 * passed, it sends nothing to Redis, promises nothing, and throws Unavailable. A request that only reads does
 * so through the memory, and its reads are recorded. A request that may write reads Redis itself, and finds
 * its own writes in the memory. Its writes and promises look at the right of its viewer first, if the last look was
 * too long ago, and throw Unauthenticated or Forbidden if it has ended.
 */
export function contextWithDeadlines(ctx: Ctx): Ctx {
  const { redis } = ctx;
  return {
    ...ctx,
    redis: wrapperOf(redis, () => wrapRedis(redis, ctx.memory)),
    memory: wrapperOf(ctx.memory, () => wrapMemory(ctx.memory)),
    jobs: wrapperOf(ctx.jobs, () => wrapJobs(ctx.jobs)),
    now() {
      const now = ctx.now();
      expiresAt(now + pageMilliseconds);
      return now;
    },
  };
}

function wrapperOf<Target extends object>(target: Target, wrap: () => Target): Target {
  const existing = wrappers.get(target) as Target | undefined;
  if (existing !== undefined) return existing;
  const wrapper = wrap();
  wrappers.set(target, wrapper).set(wrapper, wrapper);
  targets.set(wrapper, target);
  return wrapper;
}

function targetOf(redis: RedisClient): RedisClient {
  return (targets.get(redis) as RedisClient | undefined) ?? redis;
}

function wrapMemory(memory: Memory): Memory {
  /** At once for readers. A request that may write must see its own writes, so each of its reads waits for them. */
  const read = <Value>(work: (recording: Recording | undefined) => Value | Promise<Value>) => {
    if (hasPassed()) return late();
    const scope = currentScope.getStore();
    if (scope?.deadline.writes === false)
      return spoiledByFailure(work(scope.recording), scope.recording);
    return memory.settled().then(async () => await work(scope?.recording));
  };
  return {
    ...memory,
    read: (redis, reading, subjects) =>
      read((recording) => memory.read(targetOf(redis), reading, subjects, recording)),
    ask: (redis, command) => read((recording) => memory.ask(targetOf(redis), command, recording)),
  };
}

function wrapRedis(redis: RedisClient, memory: Memory): RedisClient {
  const pipelining = { ...redis.options, enableAutoPipelining: true };
  const call: Call = (method, args, name) => {
    const scope = currentScope.getStore();
    const command = isReader(scope) ? readCommandOf(name, args) : undefined;
    if (command !== undefined)
      return spoiledByFailure(memory.ask(redis, command, scope?.recording), scope?.recording);
    return name === "defineCommand" ? method(...args) : callAndSpoil(method, args);
  };
  // So commands of one turn are read one by one; they still go out in one round trip.
  return guarded(redis, call, (name) =>
    name === "options" && isReader(currentScope.getStore()) ? pipelining : undefined,
  );
}

function wrapJobs(jobs: Jobs): Jobs {
  const failed = guarded(jobs.failed, callAndSpoil);
  return guarded(jobs, callAndSpoil, (name) => (name === "failed" ? failed : undefined));
}

/** A page that was made although a read failed is not kept: nothing would tell when it changes. */
function spoiledByFailure<Value>(reply: Value, recording: Recording | undefined): Value {
  if (reply instanceof Promise) reply.catch(() => recording?.spoil());
  return reply;
}

function isReader(scope: RunningScope | undefined): boolean {
  return scope !== undefined && !scope.deadline.writes && !scope.isUnrecorded;
}

/** For calls other than reads: nothing tells when a page that depends on them changes. */
function callAndSpoil(method: Method, args: unknown[]): unknown {
  currentScope.getStore()?.recording?.spoil();
  return method(...args);
}

function hasPassed(): boolean {
  return currentScope.getStore()?.deadline.passed === true;
}

/**
 * A look at the right of the viewer, for a call that must wait for it: a write, if the last look was too long ago.
 * What is not known to be a read counts as a write. Reads stay behind the writes before them.
 */
function lookBefore(commands: readonly Called[]): Promise<void> | undefined {
  const { deadline, needsNoRight = false } = currentScope.getStore() ?? {};
  if (deadline?.rightSeen === undefined || needsNoRight) return undefined;
  const isLate = performance.now() - deadline.rightSeen > rightMilliseconds;
  if (isLate && commands.some(isWrite))
    deadline.looking ??= deadline.requireRight?.().finally(() => {
      deadline.looking = undefined;
    });
  return deadline.looking;
}

/** A rejection. Thrown at once, it would keep callers from hearing of other calls that they made in the same line. */
async function late(): Promise<never> {
  throw new Unavailable("deadline");
}

/** Methods of a client that give no promise. */
const immediate = new Set(["pipeline", "multi", "nodes", "defineCommand", "on", "once", "off"]);

type Method = (...args: unknown[]) => unknown;
type Call = (method: Method, args: unknown[], name: string) => unknown;

interface Batch {
  exec(...args: unknown[]): Promise<unknown>;
}

/** Name and arguments. */
type Called = readonly [name: string, ...args: unknown[]];

const isWrite = ([name, ...args]: Called) => readCommandOf(name, args) === undefined;
/** Stands for commands that come later. */
const unknownCommands: Called[] = [["exec"]];

/** A batch looks at the right when it is sent, as a command does. Without commands yet it counts as a write. */
function guardBatch(batch: Batch, commands: Called[] = unknownCommands): void {
  const send = batch.exec.bind(batch);
  batch.exec = (...options) => {
    // A repeat is not guarded: the client makes it by itself where a node refuses for a moment, and hears no rejection.
    batch.exec = send;
    const inTime = () => (hasPassed() ? late() : send(...options));
    return lookBefore(commands)?.then(inTime) ?? inTime();
  };
}

/**
 * Each method of the target goes through `call`, after a check of the deadline and of the right of the viewer. `other`: a
 * property in the place of the target's.
 */
function guarded<Target extends object>(
  target: Target,
  call: Call,
  other: (name: string | symbol) => object | undefined = () => undefined,
): Target {
  const wrapped = new Map<Method, Method>();
  const guard = (method: Method, name: string): Method => {
    const bound: Method = (...args) => method.apply(target, args);
    const checked: Method = (...args) => {
      if (immediate.has(name)) {
        if (hasPassed()) throw new Unavailable("deadline");
        const result = call(bound, args, name);
        if (name === "pipeline") guardBatch(result as Batch, args[0] as Called[] | undefined);
        return result;
      }
      const inTime = () => (hasPassed() ? late() : call(bound, args, name));
      return lookBefore([[name, ...args]])?.then(inTime) ?? inTime();
    };
    wrapped.set(method, checked);
    return checked;
  };
  return new Proxy(target, {
    get(_, name) {
      const value: unknown = other(name) ?? Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return wrapped.get(value as Method) ?? guard(value as Method, String(name));
    },
  });
}
