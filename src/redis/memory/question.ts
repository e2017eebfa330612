import { callScript, isScript, type RedisClient } from "../redis-client.ts";
import type { Command } from "../exec.ts";

/** A way of reading one key. The object itself is the name under which its values are kept. */
export interface Reading<Subject, Value> {
  key(subject: Subject): string;
  /** One command that only reads: its name, and what follows the key. */
  command: readonly [name: string, ...rest: (string | number)[]];
  /** The result is frozen, and is the same object until the key changes; undefined is not kept. */
  parse(reply: unknown, subject: Subject): Value;
  /** Whether Redis may expire the key of such a value: then it is kept no longer. A function costs a second round trip. */
  ends?: boolean | ((value: Exclude<Value, undefined>) => boolean);
  /** Bytes for data that is added to a value later. */
  reserve?(value: Value): number;
}

/** One read of one key; `name`: that under which its value is kept. */
export interface Question {
  key: string;
  name: object | string;
  reading: Reading<unknown, unknown>;
  subject: unknown;
}

/** Sends the command of a question. */
export function ask(client: RedisClient, { key, reading }: Question): Promise<unknown> {
  const [name, ...rest] = reading.command;
  return isScript(name)
    ? callScript(client, name, [key, ...rest])
    : client.call(name, key, ...rest);
}

/** Commands on strings and hashes: some of these keys mean something else once they have expired; lists do not. */
const mayEnd = new Set(["get", "exists", "hget", "hmget", "hgetall"]);

/** The question of a command or a script that only reads. */
export function commandQuestion([name, key, ...rest]: Command, words: string): Question {
  const reading: Reading<unknown, unknown> = {
    key: () => key,
    command: [name, ...rest],
    parse: (reply) => reply ?? null,
    ends: mayEnd.has(name),
    reserve: () => words.length,
  };
  return { key, name: words, reading, subject: undefined };
}

/**
 * Commands and scripts that read one key, their first argument, and return only its content. Redis tracks
 * reads in scripts, too.
 */
export const readCommands: ReadonlySet<string> = new Set(
  (
    "get exists strlen hget hmget hgetall hexists hlen zrange zscore zmscore zcard zcount zrank zrevrank " +
    "scard smembers sismember xrange xrevrange xlen readHome"
  ).split(" "),
);

/** The command behind a method of the client, if it only reads one key. */
export function readCommandOf(method: string, args: unknown[]): Command | undefined {
  const [name, ...rest] = method === "call" ? args : [method, ...args];
  if (typeof name !== "string" || !readCommands.has(name)) return undefined;
  // EXISTS may have several keys.
  if (rest.length === 0 || (name === "exists" && rest.length > 1)) return undefined;
  if (!rest.every((one) => typeof one === "string" || typeof one === "number")) return undefined;
  return [name, ...rest] as Command;
}
