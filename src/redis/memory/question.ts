import type { RedisClient } from "../redis-client.ts";
import type { Command } from "../exec.ts";
import { isScript } from "../scripts.ts";

/** A way of reading one key. The object itself is the name under which its values are kept. */
export interface Reading<Subject, Value> {
  key(subject: Subject): string;
  /** One command that only reads: its name, and what follows the key. */
  command: readonly [name: string, ...rest: (string | number)[]];
  /** The result is frozen, and is the same object until the key changes; undefined is not kept. */
  parse(reply: unknown, subject: Subject): Value;
  /** Set where Redis may end such a key by itself: its value is kept no longer. */
  ends?: boolean;
  /** Room in bytes for what is added to a value later. */
  reserve?(value: Value): number;
}

/** One read of one key. */
export interface Question {
  key: string;
  /** The name under which its answer is kept. */
  name: object | string;
  ask(client: RedisClient): Promise<unknown>;
  parse(reply: unknown): unknown;
  ends: boolean;
  /** Bytes to be kept free for it, beside those of the reply. */
  reserve(value: unknown): number;
}

export function questionOf<Subject, Value>(
  reading: Reading<Subject, Value>,
  key: string,
  subject: Subject,
): Question {
  const [name, ...rest] = reading.command;
  return {
    key,
    name: reading,
    ask: (client) => client.call(name, key, ...rest),
    parse: (reply) => reading.parse(reply, subject),
    ends: reading.ends === true,
    reserve: (value) => reading.reserve?.(value as Value) ?? 0,
  };
}

/** What reads strings and hashes, among which are some that count no more when they end; lists may end later. */
const mayEnd = new Set(["get", "exists", "hget", "hmget", "hgetall"]);

/** Of a command or a script that only reads. */
export function commandQuestion([name, key, ...rest]: Command, words: string): Question {
  return {
    key,
    name: words,
    ask: (client) =>
      isScript(name)
        ? (client[name] as (...args: unknown[]) => Promise<unknown>)(key, ...rest)
        : client.call(name, key, ...rest),
    parse: (reply) => reply ?? null,
    ends: mayEnd.has(name),
    reserve: () => words.length,
  };
}
