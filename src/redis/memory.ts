import type { RedisClient } from "./redis-client.ts";
import type { Command } from "./exec.ts";
import { type Link, Links } from "./memory/links.ts";
import { ask, commandQuestion, type Question, type Reading } from "./memory/question.ts";
import type { Recording } from "./memory/recording.ts";
import { type Slot, MemoryStore } from "./memory/store.ts";

export type { Reading };

export type Memory = ReturnType<typeof startMemory>;

interface Options {
  /** 0: nothing is kept. */
  bytes: number;
  /** A key that was not read for so long is dropped. Default: never, while there is room. */
  idleMilliseconds?: number;
  /** Called once if a server refuses tracking. */
  onRefused?(error: Error): void;
}

/** A read under way. */
interface Pending {
  /** False once the key has changed: then waiting callers get the value, but it is not kept. */
  isClean: boolean;
  answer: Promise<Answer>;
}

/** `slot` is undefined if the value is not kept. */
interface Answer {
  value: unknown;
  slot: Slot | undefined;
}

/** This process's cache of Redis, which reports every change of a cached key. */
export function startMemory(
  redis: RedisClient,
  { bytes, idleMilliseconds = Infinity, onRefused }: Options,
) {
  const store = new MemoryStore(Math.max(bytes, 1), idleMilliseconds);
  const pending = new Map<string, Map<object | string, Pending>>();
  const counted = { hits: 0, misses: 0 };
  let isRefused = false;
  let settling: Promise<void> | undefined;

  const spoil = (reads: Map<object | string, Pending> | undefined) => {
    for (const one of reads?.values() ?? []) one.isClean = false;
  };
  const forget = (key: string | undefined) => {
    if (key === undefined) {
      store.forgetAll();
      for (const reads of pending.values()) spoil(reads);
      pending.clear();
      return;
    }
    store.forget(key);
    spoil(pending.get(key));
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

  /** Reads a key on its link, once for concurrent callers. Keeps the value unless the key changes meanwhile. */
  const track = (link: Link, question: Question) => {
    const { key, name, reading, subject } = question;
    const reads = pending.get(key) ?? new Map<object | string, Pending>();
    const shared = reads.get(name);
    if (shared !== undefined) return shared.answer;
    const work = async (): Promise<Answer> => {
      const began = performance.now();
      try {
        const { ends } = reading;
        const [reply, asked] = await Promise.all([
          ask(link.reader, question),
          ends === true ? link.reader.pttl(key) : -1,
        ]);
        const value = freeze(reading.parse(reply, subject));
        const mayEnd = typeof ends === "function" && value !== undefined && ends(value);
        const life = mayEnd ? await link.reader.pttl(key) : asked;
        const until = life < 0 ? Infinity : began + life;
        const isKept = one.isClean && link.isUp() && value !== undefined;
        if (!isKept) return { value, slot: undefined };
        const more = reading.reserve?.(value);
        return { value, slot: store.keep(key, link, { name, value, reply, until, more }) };
      } finally {
        if (one.isClean) reads.delete(name);
        if (one.isClean && reads.size === 0) pending.delete(key);
      }
    };
    const one: Pending = { isClean: true, answer: Promise.resolve({ value: 0, slot: undefined }) };
    pending.set(key, reads.set(name, one));
    one.answer = work();
    return one.answer;
  };

  const load = async (from: RedisClient, question: Question): Promise<Answer> => {
    const link = links?.linkFor(question.key);
    try {
      if (link !== undefined) return await track(link, question);
    } catch (error) {
      if (link?.isUp() === true && !isOfLink(error)) throw error;
    }
    const { reading, subject } = question;
    return { value: freeze(reading.parse(await ask(from, question), subject)), slot: undefined };
  };

  /** From the memory, or by the question that `toQuestion` makes. */
  const answer = (
    from: RedisClient,
    key: string,
    name: object | string,
    recording: Recording | undefined,
    toQuestion: () => Question,
  ): unknown => {
    const link = links?.linkFor(key);
    const keptAnswer = link && store.find(key, name, link);
    counted[keptAnswer === undefined ? "misses" : "hits"] += 1;
    const take = ({ value, slot }: Answer) => {
      recording?.add(slot);
      return value;
    };
    return keptAnswer === undefined ? load(from, toQuestion()).then(take) : take(keptAnswer);
  };

  const settleNext = async () => {
    // Later in this turn, for all that wait.
    await Promise.resolve();
    settling = undefined;
    await links?.settle();
  };

  return {
    /**
     * The values of the subjects' keys, in order, as `reading` parses them. Unknown ones are read in one round
     * trip. Keys that are not tracked are read from `from` and not kept.
     */
    read<Subject, Value>(
      from: RedisClient,
      reading: Reading<Subject, Value>,
      subjects: readonly Subject[],
      recording?: Recording,
    ): Promise<Value[]> | Value[] {
      let isKnown = true;
      const values = subjects.map((subject) => {
        const key = reading.key(subject);
        const make = () => ({ key, name: reading, reading, subject }) as Question;
        const value = answer(from, key, reading, recording, make);
        if (value instanceof Promise) isKnown = false;
        return value as Value;
      });
      return isKnown ? values : Promise.all(values);
    },
    /** The reply to a command that only reads one key, as it came; frozen. */
    ask(from: RedisClient, command: Command, recording?: Recording): unknown {
      const [, key] = command;
      const words = command.join("\0");
      return answer(from, key, words, recording, () => commandQuestion(command, words));
    },
    /**
     * Resolves once reads see all that was written, and acknowledged, before the call: after a round trip. Only who wrote
     * needs to wait for it: a verb that hides something does, so that no page of this process shows it afterwards. Calls
     * of one turn share a round trip.
     */
    settled: (): Promise<void> => (settling ??= settleNext()),
    /** `tracking`: whether Redis reports every change; otherwise each read goes to Redis. */
    stats: () => ({ ...counted, ...store.size(), tracking: links?.isWhole() ?? false }),
    close() {
      links?.close();
      store.forgetAll();
    },
  };
}

/** After these errors an ordinary connection may answer: the link has just broken, or the table of slots is old. */
function isOfLink(error: unknown): boolean {
  const ofLink = /^(MOVED|ASK|TRYAGAIN|Stream isn't writeable|Connection is closed)\b/;
  return error instanceof Error && ofLink.test(error.message);
}

/** Deeply: many pages share the value. */
function freeze<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) freeze(part);
  return Object.freeze(value);
}
