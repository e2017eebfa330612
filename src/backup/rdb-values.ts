import type { Cursor } from "./bytes.ts";

/** Bytes of numbers that stand in the place of a string, by their kind. */
const integerBytes = [1, 2, 4] as const;
const compressed = 3;

/** Throws for a type that is not known. */
export function skipValue(cursor: Cursor, type: number): void {
  const skip = values[type];
  if (skip === undefined) throw new Error(`a value of the unknown type ${type}`);
  skip(cursor);
}

const one = (cursor: Cursor) => skipStrings(cursor, 1);
const listOf = (skip: (cursor: Cursor) => void) => (cursor: Cursor) => {
  for (let left = readLength(cursor); left > 0; left -= 1) skip(cursor);
};

/** By type: strings, lists, sets, sorted sets and hashes in all their encodings, and streams. */
const values: Record<number, (cursor: Cursor) => void> = {
  0: one,
  1: listOf(one),
  2: listOf(one),
  3: listOf((cursor) => {
    one(cursor);
    const length = cursor.byte();
    if (length < 253) cursor.take(length);
  }),
  4: listOf((cursor) => skipStrings(cursor, 2)),
  5: listOf((cursor) => {
    one(cursor);
    cursor.take(8);
  }),
  9: one,
  10: one,
  11: one,
  12: one,
  13: one,
  14: listOf(one),
  15: (cursor) => skipStream(cursor, 1),
  16: one,
  17: one,
  18: listOf((cursor) => {
    skipLengths(cursor, 1);
    one(cursor);
  }),
  19: (cursor) => skipStream(cursor, 2),
  20: one,
  21: (cursor) => skipStream(cursor, 3),
};

/** `generation`: which of the three formats. Ids have 16 bytes, times 8. */
function skipStream(cursor: Cursor, generation: 1 | 2 | 3): void {
  listOf((node) => skipStrings(node, 2))(cursor);
  skipLengths(cursor, generation === 1 ? 3 : 8);
  listOf((group) => {
    skipStrings(group, 1);
    skipLengths(group, generation === 1 ? 2 : 3);
    listOf((pending) => {
      pending.take(24);
      skipLengths(pending, 1);
    })(group);
    listOf((consumer) => {
      skipStrings(consumer, 1);
      consumer.take(generation === 3 ? 16 : 8);
      listOf((pending) => pending.take(16))(consumer);
    })(group);
  })(cursor);
}

export function skipLengths(cursor: Cursor, count: number): void {
  for (let nth = 0; nth < count; nth += 1) readLength(cursor);
}

export function readLength(cursor: Cursor): number {
  const { value, isEncoding } = readLengthOrEncoding(cursor);
  if (isEncoding) throw new Error("a snapshot that cannot be read");
  return value;
}

function readLengthOrEncoding(cursor: Cursor): { value: number; isEncoding: boolean } {
  const first = cursor.byte();
  const low = first & 0x3f;
  switch (first >> 6) {
    case 0:
      return { value: low, isEncoding: false };
    case 1:
      return { value: (low << 8) | cursor.byte(), isEncoding: false };
    case 2:
      return {
        value: low === 0 ? cursor.take(4).readUInt32BE() : Number(cursor.take(8).readBigUInt64BE()),
        isEncoding: false,
      };
    default:
      return { value: low, isEncoding: true };
  }
}

export function skipStrings(cursor: Cursor, count: number): void {
  for (let nth = 0; nth < count; nth += 1) {
    const { value, isEncoding } = readLengthOrEncoding(cursor);
    if (!isEncoding) cursor.take(value);
    else if (value === compressed) {
      const length = readLength(cursor);
      readLength(cursor);
      cursor.take(length);
    } else cursor.take(integerBytes[value] ?? 0);
  }
}

export function readString(cursor: Cursor): Buffer {
  const { value, isEncoding } = readLengthOrEncoding(cursor);
  if (!isEncoding) return cursor.take(value);
  if (value === compressed) {
    const length = readLength(cursor);
    const whole = readLength(cursor);
    return decompress(cursor.take(length), whole);
  }
  const size = integerBytes[value];
  if (size === undefined) throw new Error("a snapshot that cannot be read");
  return Buffer.from(String(cursor.take(size).readIntLE(0, size)));
}

/** LZF: runs of literal bytes, and references to bytes before. */
function decompress(input: Buffer, length: number): Buffer {
  const output = Buffer.alloc(length);
  let to = 0;
  for (let at = 0; at < input.length;) {
    const control = input.readUInt8(at++);
    if (control < 32) {
      to += input.copy(output, to, at, at + control + 1);
      at += control + 1;
      continue;
    }
    let count = control >> 5;
    if (count === 7) count += input.readUInt8(at++);
    let from = to - ((control & 0x1f) << 8) - input.readUInt8(at++) - 1;
    for (let left = count + 2; left > 0; left -= 1) output[to++] = output.readUInt8(from++);
  }
  return output;
}
