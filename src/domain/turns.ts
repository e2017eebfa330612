import { TooMany } from "./errors.ts";

/** Does `work` when its turn has come. Throws TooMany while too many others wait. */
export type TakeTurns = <Result>(work: () => Promise<Result>) => Promise<Result>;

/**
 * For work that keeps a core busy: of all that is asked of this process, `atOnce` are done at a time
 * and `queueLimit` wait, in the order in which they came. `what` and `retryAfter` (seconds) are what
 * the others are told.
 */
export function takeTurns(limits: {
  what: string;
  atOnce: number;
  queueLimit: number;
  retryAfter: number;
}): TakeTurns {
  const { what, atOnce, queueLimit, retryAfter } = limits;
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= atOnce && waiting.length >= queueLimit) throw new TooMany(what, retryAfter);
    if (running >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
