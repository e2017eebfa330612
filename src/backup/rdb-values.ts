import type { Cursor } from "./bytes.ts";

/** Bytes of numbers that stand in the place of a string, by their kind. */
const integerBytes = [1, 2, 4] as const;
const compressed = 3;

/** Throws for a type that is not known. */
export function skipValue(cursor: Cursor, type: number): void {
  const skip = inOneString.has(type) ? one : values[type];
  if (skip === undefined) throw new Error(`a value of the unknown type ${type}`);
  skip(cursor);
}

const one = (cursor: Cursor) => skipStrings(cursor, 1);
const listOf = (skip: (cursor: Cursor) => void) => (cursor: Cursor) => {
  for (let left = readLength(cursor); left > 0; left -= 1) skip(cursor);
};

/** Types of strings, and of lists, sets, sorted sets and hashes that are encoded as one string. */
const inOneString = new Set([0, 9, 10, 11, 12, 13, 16, 17, 20]);

/** The other encodings of these by type, and streams. */
const values: Record<number, (cursor: Cursor) => void> = {
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
  14: listOf(one),
  15: (cursor) => skipStream(cursor, 1),
  18: listOf((cursor) => {
    skipLengths(cursor, 1);
    one(cursor);
  }),
  19: (cursor) => skipStream(cursor, 2),
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
  const [kind, low] = [first >> 6, first & 0x3f];
  let value = low;
  if (kind === 1) value = (low << 8) | cursor.byte();
  else if (kind === 2)
    value = low === 0 ? cursor.take(4).readUInt32BE() : Number(cursor.take(8).readBigUInt64BE());
  return { value, isEncoding: kind === 3 };
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
