import { AsyncLocalStorage } from "node:async_hooks";
import type { Ctx } from "../context.ts";
import { Unavailable } from "./errors.ts";

/** When a request is to be answered; set to passed once it was answered without its handler. */
export interface Deadline {
  passed: boolean;
  /** False for a request that only reads. */
  writes: boolean;
  /** Pieces of work under way that are not to be hurried; see apart. */
  apart: number;
  /** When the last of them ended, by performance.now(). */
  apartEnded: number;
}

const current = new AsyncLocalStorage<Deadline>();

/** Runs `work`, and all that it leads to, under the deadline. */
export function under(deadline: Deadline, work: () => void): void {
  current.run(deadline, work);
}

/**
 * Work that a request has to wait for, but not because of Redis: no deadline passes meanwhile. A user with the
 * right password in a flood of others waits for a turn rather than be sent away.
 */
export async function apart<Result>(work: () => Promise<Result>): Promise<Result> {
  const deadline = current.getStore();
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

/** One for each target, so that what is remembered by connection is found again through either. */
const holders = new WeakMap<object, object>();

/**
 * The context for what requests and jobs do; of such a context, the same. Once the deadline under which
 * something runs has passed, it asks Redis nothing more and promises nothing, but throws Unavailable.
 * What may write sees in its memory what it has written itself.
 */
export function heldToDeadlines(ctx: Ctx): Ctx {
  const memory = held(ctx.memory, (target) => {
    if (current.getStore()?.writes !== false) target.settle();
  });
  return { ...ctx, redis: held(ctx.redis), memory, jobs: held(ctx.jobs) };
}

type Method = (...args: unknown[]) => unknown;

/** `before` is called before each of the target's methods. */
function held<Target extends object>(target: Target, before?: (target: Target) => void): Target {
  const holder = (holders.get(target) as Target | undefined) ?? hold(target, before);
  holders.set(target, holder).set(holder, holder);
  return holder;
}

function hold<Target extends object>(target: Target, before?: (target: Target) => void): Target {
  const known = new Map<Method, Method>();
  const heldMethod = (method: Method): Method => {
    const guarded: Method = (...args) => {
      if (current.getStore()?.passed === true) throw new Unavailable("deadline");
      before?.(target);
      return method.apply(target, args);
    };
    known.set(method, guarded);
    return guarded;
  };
  return new Proxy(target, {
    get(_, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return known.get(value as Method) ?? heldMethod(value as Method);
    },
  });
}
