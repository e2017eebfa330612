import { TooMany } from "./errors.ts";

/** Decides whose turn is next: lanes take turns, and so do the clients (`from`) in a lane. */
export interface Asker {
  lane: string;
  from: string;
}

/** Runs `work` when its turn has come. Throws TooMany while too many others wait. */
type ConcurrencyLimit = <Result>(work: () => Promise<Result>, asker?: Asker) => Promise<Result>;

const unknownAsker: Asker = { lane: "", from: "" };

/**
 * For work that keeps a core busy. Runs `atOnce` at a time in this process; in each lane `queueLimit` wait, at
 * most `fromLimit` of one client. A client with many tasks delays only itself: the next task is always from
 * another lane, and from another client, if there is any. In a full lane, a new task replaces the last one of
 * the client with the most. `what` and `retryAfter` (seconds) go into TooMany for the others.
 */
export function limitConcurrency(limits: {
  what: string;
  atOnce: number;
  queueLimit: number;
  fromLimit?: number;
  retryAfter: number;
}): ConcurrencyLimit {
  const { what, atOnce, queueLimit, fromLimit = queueLimit, retryAfter } = limits;
  const waiting = new Map<string, Lane>();
  let running = 0;
  return async (work, asker = unknownAsker) => {
    if (running < atOnce) running += 1;
    else await turnOf(asker);
    try {
      return await work();
    } finally {
      const next = takeNext(waiting);
      if (next === undefined) running -= 1;
      else next.begin();
    }
  };

  async function turnOf({ lane, from }: Asker): Promise<void> {
    const inLane: Lane = waiting.get(lane) ?? new Map<string, Waiting[]>();
    const queue = inLane.get(from) ?? [];
    const all = [...inLane.values()].reduce((sum, some) => sum + some.length, 0);
    if (queue.length >= fromLimit) throw new TooMany(what, retryAfter);
    if (all >= queueLimit) makeRoom(inLane, queue.length);
    waiting.set(lane, inLane);
    inLane.set(from, queue);
    await new Promise<void>((resolve, reject) => queue.push({ begin: resolve, refuse: reject }));
  }

  /** Throws TooMany unless another client has more waiting tasks than this one would have. */
  function makeRoom(inLane: Lane, own: number): void {
    const [most = []] = [...inLane.values()].toSorted((one, other) => other.length - one.length);
    if (most.length <= own + 1) throw new TooMany(what, retryAfter);
    most.pop()?.refuse(new TooMany(what, retryAfter));
  }
}

interface Waiting {
  begin: () => void;
  refuse: (reason: TooMany) => void;
}

/** Waiting tasks by client. */
type Lane = Map<string, Waiting[]>;

/** Maps keep insertion order: setting a key again after its turn moves it to the end. */
function takeNext(lanes: Map<string, Lane>): Waiting | undefined {
  for (const [lane, askers] of lanes) {
    lanes.delete(lane);
    for (const [from, own] of askers) {
      askers.delete(from);
      const next = own.shift();
      if (own.length > 0) askers.set(from, own);
      if (askers.size > 0) lanes.set(lane, askers);
      return next;
    }
  }
  return undefined;
}
