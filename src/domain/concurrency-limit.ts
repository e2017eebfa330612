import { TooMany } from "./errors.ts";

/** Where a task waits: its queue, and its client in that queue. Queues take turns, and so do the clients of one. */
export interface Place {
  queue: string;
  client: string;
}

/** Runs `work` in a free slot. Throws TooMany while too many others wait. */
type ConcurrencyLimit = <Result>(work: () => Promise<Result>, place?: Place) => Promise<Result>;

/**
 * For work that keeps a core busy. This process has `slots`; in each queue `queueLimit` tasks wait, at most
 * `clientLimit` of one client. A client with many tasks delays only itself: the next task is always from
 * another queue, and from another client, if there is any. In a full queue, a new task replaces the last one of
 * the client with the most. `what` and `retryAfter` (seconds) go into TooMany for the others.
 */
export function limitConcurrency(limits: {
  what: string;
  slots: number;
  queueLimit: number;
  clientLimit?: number;
  retryAfter: number;
}): ConcurrencyLimit {
  const { what, slots, queueLimit, clientLimit = queueLimit, retryAfter } = limits;
  const queues = new Map<string, Queue>();
  let running = 0;
  return async (work, place = { queue: "", client: "" }) => {
    if (running < slots) running += 1;
    else await freeSlot(place);
    try {
      return await work();
    } finally {
      const next = takeNext(queues);
      if (next === undefined) running -= 1;
      else next.begin();
    }
  };

  async function freeSlot({ queue: name, client }: Place): Promise<void> {
    const queue: Queue = queues.get(name) ?? new Map<string, Waiting[]>();
    const tasks = queue.get(client) ?? [];
    const total = [...queue.values()].reduce((sum, some) => sum + some.length, 0);
    if (tasks.length >= clientLimit) throw new TooMany(what, retryAfter);
    if (total >= queueLimit) makeRoom(queue, tasks.length);
    queues.set(name, queue);
    queue.set(client, tasks);
    await new Promise<void>((resolve, reject) => tasks.push({ begin: resolve, refuse: reject }));
  }

  /** Throws TooMany unless another client has more waiting tasks than this one would have. */
  function makeRoom(queue: Queue, count: number): void {
    const [most = []] = [...queue.values()].toSorted((one, other) => other.length - one.length);
    if (most.length <= count + 1) throw new TooMany(what, retryAfter);
    most.pop()?.refuse(new TooMany(what, retryAfter));
  }
}

interface Waiting {
  begin: () => void;
  refuse: (reason: TooMany) => void;
}

/** Waiting tasks by client. */
type Queue = Map<string, Waiting[]>;

/** Maps keep insertion order: setting a key again after its turn moves it to the end. */
function takeNext(queues: Map<string, Queue>): Waiting | undefined {
  for (const [name, queue] of queues) {
    queues.delete(name);
    for (const [client, tasks] of queue) {
      queue.delete(client);
      const next = tasks.shift();
      if (tasks.length > 0) queue.set(client, tasks);
      if (queue.size > 0) queues.set(name, queue);
      return next;
    }
  }
  return undefined;
}

/** Parts of at most `size` items; all at once without it. */
export function* inBatches<Item>(items: readonly Item[], size = items.length): Generator<Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}

/** Works on all items, `atOnce` of them at the same time. */
export async function forEachOf<Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  for (const some of inBatches(items, atOnce)) await Promise.all(some.map(work));
}
