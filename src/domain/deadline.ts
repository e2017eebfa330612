import { AsyncLocalStorage } from "node:async_hooks";
import type { Ctx } from "../context.ts";
import { Unavailable } from "./errors.ts";

/** When a request is to be answered; set to passed once it was answered without its handler. */
export interface Deadline {
  passed: boolean;
  /** Pieces of work under way that do not count; see apart. */
  apart: number;
  /** Milliseconds that such work has taken. */
  apartMilliseconds: number;
}

const current = new AsyncLocalStorage<Deadline>();

/** Runs `work`, and all that it leads to, under the deadline. */
export function under(deadline: Deadline, work: () => void): void {
  current.run(deadline, work);
}

/**
 * Work that a request has to wait for, but not because of Redis: its time does not count. Who comes with the
 * right password in a flood of others waits for a turn rather than be sent away.
 */
export async function apart<Result>(work: () => Promise<Result>): Promise<Result> {
  const deadline = current.getStore();
  if (deadline === undefined) return await work();
  const began = performance.now();
  deadline.apart += 1;
  try {
    return await work();
  } finally {
    deadline.apart -= 1;
    deadline.apartMilliseconds += performance.now() - began;
  }
}

/** Runs `work` under no deadline: what is to be put right once the answer is out. */
export function underNone(work: () => void): void {
  current.exit(work);
}

/** One for each target, so that what is remembered by connection is found again through either. */
const holders = new WeakMap<object, object>();

/**
 * The context for what requests do; of such a context, the same. Once the deadline under which something
 * runs has passed, it asks Redis nothing more and promises nothing, but throws Unavailable.
 */
export function heldToDeadlines(ctx: Ctx): Ctx {
  return { ...ctx, redis: held(ctx.redis), jobs: held(ctx.jobs) };
}

type Method = (...args: unknown[]) => unknown;

function held<Target extends object>(target: Target): Target {
  const holder = (holders.get(target) as Target | undefined) ?? hold(target);
  holders.set(target, holder).set(holder, holder);
  return holder;
}

function hold<Target extends object>(target: Target): Target {
  const known = new Map<Method, Method>();
  const heldMethod = (method: Method): Method => {
    const guarded: Method = (...args) => {
      if (current.getStore()?.passed === true) throw new Unavailable("deadline");
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
