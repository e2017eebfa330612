import type { RedisClient } from "../context.ts";
import { type Command, exec } from "./exec.ts";
import type { Link } from "./memory/link.ts";
import { Links } from "./memory/links.ts";
import { Store } from "./memory/store.ts";

/** A way of reading one key. The object itself is the name under which its values are kept. */
export interface Reading<Subject, Value> {
  key(subject: Subject): string;
  /** One command that only reads: its name, and what follows the key. */
  command: readonly [name: string, ...rest: (string | number)[]];
  /** The result is frozen, and is the same object until the key changes; undefined is not kept. */
  parse(reply: unknown, subject: Subject): Value;
  /** Set where Redis may end such a key by itself: its value is kept no longer. */
  ends?: boolean;
  /** Room for what is added to a value later. */
  bytes?: number;
}

export interface MemoryStats {
  hits: number;
  misses: number;
  entries: number;
  bytes: number;
  /** Whether Redis tells of every change; without, everything is read anew. */
  tracking: boolean;
}

/** What this process knows of Redis, kept honest by Redis itself. */
export interface Memory {
  /**
   * What `reading` makes of each subject's key, in their order; what is not known is read in one round
   * trip. Keys whose changes Redis does not tell of are read from `redis` and not kept.
   */
  read<Subject, Value>(
    redis: RedisClient,
    reading: Reading<Subject, Value>,
    subjects: readonly Subject[],
  ): Promise<Value[]>;
  /** Every read from now on sees all that was written, and acknowledged, up to now. */
  settle(): void;
  /** Resolves once everything written up to now is seen. */
  settled(): Promise<void>;
  stats(): MemoryStats;
  close(): void;
}

interface Options {
  /** 0: nothing is kept. */
  bytes: number;
  /** Told, at most once until tracking works, that a server refuses it. */
  onRefused?(error: Error): void;
}

/** A read under way. */
interface Pending {
  /** False once its key has changed: the value is for those who wait for it, and not kept. */
  isClean: boolean;
  value: Promise<unknown>;
}

export function startMemory(redis: RedisClient, { bytes, onRefused }: Options): Memory {
  const store = new Store(Math.max(bytes, 1));
  const pending = new Map<string, Map<object, Pending>>();
  const counted = { hits: 0, misses: 0 };
  let isRefused = false;
  let barrier: Promise<void> | undefined;

  const spoil = (reads: Map<object, Pending>) => {
    for (const one of reads.values()) one.isClean = false;
  };
  const forget = (key: string | undefined) => {
    if (key === undefined) {
      store.forgetAll();
      for (const reads of pending.values()) spoil(reads);
      pending.clear();
      return;
    }
    store.forget(key);
    spoil(pending.get(key) ?? new Map());
    pending.delete(key);
  };
  const links =
    bytes === 0
      ? undefined
      : new Links(redis, {
          onChange: forget,
          onRefused(error) {
            if (!isRefused) onRefused?.(error);
            isRefused = true;
          },
          onBeat: () => store.beat(),
        });

  /** Reads a key on its link, for all who ask meanwhile; keeps it unless it changes meanwhile. */
  const track = <Subject, Value>(
    link: Link,
    reading: Reading<Subject, Value>,
    subject: Subject,
  ): Promise<Value> => {
    const [name, key] = commandOf(reading, subject);
    const reads = pending.get(key) ?? new Map<object, Pending>();
    const shared = reads.get(reading);
    if (shared !== undefined) return shared.value as Promise<Value>;
    const work = async () => {
      const asked = performance.now();
      try {
        const [reply, life] = await Promise.all([
          link.reader.call(name, key, ...reading.command.slice(1)),
          reading.ends === true ? link.reader.pttl(key) : -1,
        ]);
        const value = freeze(reading.parse(reply, subject));
        const until = life < 0 ? Infinity : asked + life;
        if (one.isClean && link.isUp() && value !== undefined)
          store.keep(key, link, { reading, value, reply, until, more: reading.bytes });
        return value;
      } finally {
        if (one.isClean) reads.delete(reading);
        if (one.isClean && reads.size === 0) pending.delete(key);
      }
    };
    const one: Pending = { isClean: true, value: Promise.resolve() };
    pending.set(key, reads.set(reading, one));
    const value = work();
    one.value = value;
    return value;
  };

  const load = async <Subject, Value>(
    from: RedisClient,
    reading: Reading<Subject, Value>,
    subject: Subject,
  ): Promise<Value> => {
    const command = commandOf(reading, subject);
    const link = links?.linkFor(command[1]);
    try {
      if (link !== undefined) return await track(link, reading, subject);
    } catch (error) {
      if (link?.isUp() === true && !isRedirection(error)) throw error;
    }
    const [reply] = await exec(from, [command]);
    return freeze(reading.parse(reply, subject));
  };

  return {
    async read(from, reading, subjects) {
      if (barrier !== undefined) await barrier;
      return await Promise.all(
        subjects.map((subject) => {
          const key = reading.key(subject);
          const link = links?.linkFor(key);
          const known = link && store.find(key, reading, link);
          counted[known === undefined ? "misses" : "hits"] += 1;
          if (known === undefined) return load(from, reading, subject);
          return known.value as ReturnType<typeof reading.parse>;
        }),
      );
    },
    settle() {
      const own = links?.settle().finally(() => {
        if (barrier === own) barrier = undefined;
      });
      barrier = own;
    },
    async settled() {
      this.settle();
      await barrier;
    },
    stats: () => ({ ...counted, ...store.size(), tracking: links?.isWhole() ?? false }),
    close() {
      links?.close();
      store.forgetAll();
    },
  };
}

function commandOf<Subject>(reading: Reading<Subject, unknown>, subject: Subject): Command {
  const [name, ...rest] = reading.command;
  return [name, reading.key(subject), ...rest];
}

/** The client's table of slots is behind the cluster's; an ordinary connection follows. */
function isRedirection(error: unknown): boolean {
  return error instanceof Error && /^(MOVED|ASK|TRYAGAIN)\b/.test(error.message);
}

/** With all that it holds: many pages share it. */
function freeze<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) freeze(part);
  return Object.freeze(value);
}
