/** Values of fields, in order, as HMGET gives them. */
export type FieldValues = (string | null)[];
/** Fields and values in turn, as HSET takes them. */
export type FieldPairs = (string | number)[];

/** How a property is stored. A value is missing if it is empty: empty text removes a field, and is not written. */
export interface Property<Value> {
  fields: readonly string[];
  read(this: void, ...values: (string | undefined)[]): Value;
  /** Undefined: written in other ways. */
  write?(this: void, value: Value): readonly (string | number)[];
}

/** A property in one field. Without `write` the number or text itself is stored, and nothing for undefined. */
export function inField<Value>(
  field: string,
  read: (value: string | undefined) => Value,
  write: (value: Value) => string | number = (value) => (value ?? "") as string | number,
): Property<Value> {
  return { fields: [field], read, write: (value) => [write(value)] };
}

/** Reads and writes a record as fields of a hash; `table` says how each of its properties is stored. */
export function hashCodec<Stored extends object>(table: {
  readonly [Name in keyof Required<Stored>]: Property<Stored[Name]>;
}) {
  const names = Object.keys(table) as (keyof Stored)[];
  const fields = names.flatMap((name) => table[name].fields);
  const steps = names.map((name) => ({ name, width: table[name].fields.length, ...table[name] }));
  return { names, fields, decode, encode };

  /** Adds the properties to `record`. `values`: those of `fields`. */
  function decode<Record extends object>(record: Record, values: FieldValues): Record & Stored {
    const decoded = record as Record & Stored;
    let at = 0;
    for (const { name, width, read } of steps) {
      decoded[name] = (
        width === 1
          ? read(values[at] ?? undefined)
          : read(values[at] ?? undefined, values[at + 1] ?? undefined)
      ) as (Record & Stored)[typeof name];
      at += width;
    }
    return decoded;
  }

  /** Fields of the properties `some`; of missing ones too, as empty text. */
  function encode<Name extends keyof Stored>(
    record: Pick<Stored, Name>,
    some: readonly Name[] = names as unknown as Name[],
  ): FieldPairs {
    return some.flatMap((name) => {
      const values = table[name].write?.(record[name]) ?? [];
      return table[name].fields.flatMap((field, nth) => [field, values[nth] ?? ""]);
    });
  }
}
