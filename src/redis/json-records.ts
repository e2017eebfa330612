import { Unavailable } from "../domain/errors.ts";
import { type Command, exec } from "./exec.ts";
import type { RedisClient } from "./redis-client.ts";

/** A record of a hash. `text` is its stored form, which tells whether it has changed since. */
export interface JsonRecord<Value> {
  field: string;
  value: Value;
  text: string;
}

/** Max attempts of a change; each but the last was overtaken by another change of the record. */
const triesAtMost = 1000;

/** Repeats an attempt until no other process is faster. Throws Unavailable if others are faster all the time. */
export async function untilFirst<Result>(
  attempt: () => Promise<Result | "overtaken">,
): Promise<Result> {
  for (let tries = 0; tries < triesAtMost; tries += 1) {
    const result = await attempt();
    if (result !== "overtaken") return result;
  }
  throw new Unavailable("a record that is changed all the time");
}

/** The records of a hash that was read as a whole. */
export function recordsIn<Value>(fields: Readonly<Record<string, string>>): JsonRecord<Value>[] {
  return Object.entries(fields).map(([field, text]) => toRecord(field, text));
}

function toRecord<Value>(field: string, text: string): JsonRecord<Value> {
  return { field, value: JSON.parse(text) as Value, text };
}

/** The records in the hash of each subject. */
export const recordsAt =
  <Value extends object, Subject>(key: (subject: Subject) => string) =>
  ({ redis }: { redis: RedisClient }, subject: Subject): JsonRecords<Value> =>
    new JsonRecords(redis, key(subject));

/** JSON records in the fields of one hash. */
export class JsonRecords<Value extends object> {
  readonly #redis: RedisClient;
  readonly #key: string;

  constructor(redis: RedisClient, key: string) {
    this.#redis = redis;
    this.#key = key;
  }

  /** All records, in no order. */
  async list(): Promise<JsonRecord<Value>[]> {
    return recordsIn(await this.#redis.hgetall(this.#key));
  }

  async find(field: string): Promise<JsonRecord<Value> | undefined> {
    const text = await this.#redis.hget(this.#key, field);
    return text === null ? undefined : toRecord(field, text);
  }

  /** Writes a record over any that is there. The whole hash expires after `seconds`, or stays as it is. */
  async write(field: string, value: Value, seconds?: number): Promise<void> {
    const commands: Command[] = [["hset", this.#key, field, JSON.stringify(value)]];
    if (seconds !== undefined) commands.push(["expire", this.#key, seconds]);
    await exec(this.#redis, commands);
  }

  /** Writes a record unless the field has one. Returns the one that is there; undefined if there are `most`. */
  async add(field: string, value: Value, most: number): Promise<JsonRecord<Value> | undefined> {
    const text = await this.#redis.addField(this.#key, field, JSON.stringify(value), most);
    return text === null ? undefined : toRecord(field, text);
  }

  /**
   * Writes a record in the place of another. False if that was changed or removed meanwhile. A full Redis takes it if it
   * hardly grows: it may be the mark that something has ended.
   */
  async replace(
    { field, text }: Pick<JsonRecord<Value>, "field" | "text">,
    value: Value,
  ): Promise<boolean> {
    const next = JSON.stringify(value);
    const update = next.length < text.length + 50 ? "updateAnyway" : "updateIf";
    return (await this.#redis[update](this.#key, field, text, field, next)) === 1;
  }

  /**
   * Changes a record, or removes it if `edit` returns null; see untilFirst. Undefined without a record, or without a
   * change. Throws what `edit` throws.
   */
  async change<After extends Value | null>(
    field: string,
    edit: (value: Value) => After | undefined | Promise<After | undefined>,
  ): Promise<{ before: Value; after: After } | undefined> {
    return await untilFirst(async () => {
      const record = await this.find(field);
      const after = record && (await edit(record.value));
      if (record === undefined || after === undefined) return undefined;
      const isDone =
        after === null
          ? (await this.removeUnchanged([record])).length > 0
          : await this.replace(record, after);
      return isDone ? { before: record.value, after } : "overtaken";
    });
  }

  /** Removes the records with these fields. Returns how many there were. */
  async remove(...fields: string[]): Promise<number> {
    return fields.length === 0 ? 0 : await this.#redis.hdel(this.#key, ...fields);
  }

  /** Removes those of the records that have not changed since they were read; returns their fields. */
  async removeUnchanged(records: readonly Pick<JsonRecord<Value>, "field" | "text">[]) {
    const pairs = records.flatMap(({ field, text }) => [field, text]);
    return pairs.length === 0 ? [] : await this.#redis.clearFields(this.#key, ...pairs);
  }

  /** Keeps the `most` records of the highest `rank`, and of these only those with a rank above `least`. */
  async trim(rank: (value: Value) => number, most: number, least = -Infinity): Promise<void> {
    const records = (await this.list()).toSorted(
      (one, other) => rank(other.value) - rank(one.value),
    );
    const dropped = records.filter(({ value }, nth) => nth >= most || rank(value) <= least);
    await this.remove(...dropped.map(({ field }) => field));
  }
}
