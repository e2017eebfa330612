import type { Ctx } from "../context.ts";
import type { RedisClient } from "../redis/redis-client.ts";
import { readOf } from "../redis/reads.ts";
import type { Memory } from "../redis/memory.ts";
import type { Recording } from "../redis/memory/recording.ts";
import { Unavailable } from "./errors.ts";
import { goodUntil } from "./recorded.ts";
import { current, type Deadline, type Scope } from "./scope.ts";

/** Runs `work`, and all that it leads to, under the deadline; what it reads is recorded. */
export function under(
  deadline: Deadline,
  recording: Recording | undefined,
  work: () => void,
): void {
  current.run({ deadline, recording, isAside: false }, work);
}

/**
 * Work that a request has to wait for, but not because of Redis: no deadline passes meanwhile. A user with the
 * right password in a flood of others waits for a turn rather than be sent away.
 */
export async function apart<Result>(work: () => Promise<Result>): Promise<Result> {
  const deadline = current.getStore()?.deadline;
  if (deadline === undefined) return await work();
  deadline.apart += 1;
  try {
    return await work();
  } finally {
    deadline.apart -= 1;
    deadline.apartEnded = performance.now();
  }
}

/** Runs `work` under no deadline: what is to be put right once the answer is out. */
export function underNone(work: () => void): void {
  current.exit(work);
}

/** How long a page is good that depends on the time, milliseconds, unless it says so; see steadyNow. */
const secondHand = 1000;

/** One for each target, so that what is remembered by connection is found again through either. */
const holders = new WeakMap<object, object>();
/** And what each holds. */
const targets = new WeakMap<object, object>();

/**
 * The context for what requests and jobs do; of such a context, the same. Once the deadline under which
 * something runs has passed, it asks Redis nothing more and promises nothing, but throws Unavailable.
 * A request that only reads does so through the memory, and what it reads is recorded; what may write asks Redis
 * itself, and sees in its memory what it has written.
 */
export function heldToDeadlines(ctx: Ctx): Ctx {
  const { redis } = ctx;
  const held: Ctx = {
    ...ctx,
    redis: holderOf(redis, () => holdRedis(redis, ctx.memory)),
    memory: holderOf(ctx.memory, () => holdMemory(ctx.memory)),
    jobs: holderOf(ctx.jobs, () => guarded(ctx.jobs, spoiling)),
    now() {
      const now = ctx.now();
      goodUntil(now + secondHand);
      return now;
    },
  };
  return held;
}

function holderOf<Target extends object>(target: Target, hold: () => Target): Target {
  const known = holders.get(target) as Target | undefined;
  if (known !== undefined) return known;
  const holder = hold();
  holders.set(target, holder).set(holder, holder);
  targets.set(holder, target);
  return holder;
}

function targetOf(redis: RedisClient): RedisClient {
  return (targets.get(redis) as RedisClient | undefined) ?? redis;
}

function holdMemory(memory: Memory): Memory {
  /** For what is read now; what may write sees what it has written. */
  const recording = () => {
    const scope = current.getStore();
    if (scope?.deadline.passed === true) throw new Unavailable("deadline");
    if (scope?.deadline.writes !== false) memory.settle();
    return scope?.recording;
  };
  return {
    ...memory,
    read: (redis, reading, subjects) =>
      memory.read(targetOf(redis), reading, subjects, recording()),
    ask: (redis, command) => memory.ask(targetOf(redis), command, recording()),
  };
}

function holdRedis(redis: RedisClient, memory: Memory): RedisClient {
  const pipelining = { ...redis.options, enableAutoPipelining: true };
  const holder = guarded<RedisClient>(redis, (method, args, name) => {
    const scope = current.getStore();
    const command = isReader(scope) ? readOf(name, args) : undefined;
    if (command !== undefined) return memory.ask(redis, command, scope?.recording);
    return name === "defineCommand" ? method(...args) : spoiling(method, args);
  });
  return new Proxy(holder, {
    get(target, name) {
      // So what is asked at once is asked command by command; it goes out in one round trip all the same.
      if (name === "options" && isReader(current.getStore())) return pipelining;
      return Reflect.get(target, name) as unknown;
    },
  });
}

function isReader(scope: Scope | undefined): boolean {
  return scope !== undefined && !scope.deadline.writes && !scope.isAside;
}

/** What is done beside reading: nothing tells when a page that depends on it changes. */
function spoiling(method: Method, args: unknown[]): unknown {
  current.getStore()?.recording?.spoil();
  return method(...args);
}

type Method = (...args: unknown[]) => unknown;
type Call = (method: Method, args: unknown[], name: string) => unknown;

/** Each method of the target goes through `call`, once the deadline was looked at. */
function guarded<Target extends object>(target: Target, call: Call): Target {
  const known = new Map<Method, Method>();
  const guard = (method: Method, name: string): Method => {
    const bound: Method = (...args) => method.apply(target, args);
    const own: Method = (...args) => {
      if (current.getStore()?.deadline.passed === true) throw new Unavailable("deadline");
      return call(bound, args, name);
    };
    known.set(method, own);
    return own;
  };
  return new Proxy(target, {
    get(_, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return known.get(value as Method) ?? guard(value as Method, String(name));
    },
  });
}
