import { Bytes, type Cursor, type Entry } from "./bytes.ts";
import { readLength, readString, skipLengths, skipStrings, skipValue } from "./rdb-values.ts";

/** What stands before or between keys and says nothing about them, by its first byte. */
const skips: Readonly<Record<number, (cursor: Cursor) => unknown>> = {
  // Slots, and functions.
  0xf4: (cursor) => skipLengths(cursor, 3),
  0xf5: (cursor) => skipStrings(cursor, 1),
  // How long a key was not used, and how often it was.
  0xf8: (cursor) => skipLengths(cursor, 1),
  0xf9: (cursor) => cursor.take(1),
  // A fact about the server, and sizes.
  0xfa: (cursor) => skipStrings(cursor, 2),
  0xfb: (cursor) => skipLengths(cursor, 2),
};

/** The other first bytes that are no type of a value. */
const opcodes = {
  expiryMilliseconds: 0xfc,
  expirySeconds: 0xfd,
  database: 0xfe,
  end: 0xff,
} as const;

/** The keys of one database in a snapshot, in the format of Redis' RDB files (versions 7 to 12). */
export async function* readRdb(
  chunks: AsyncIterable<Buffer>,
  database: number,
): AsyncGenerator<Entry> {
  const bytes = new Bytes(chunks);
  const magic = (await bytes.parse((cursor) => cursor.take(9))).toString("latin1");
  const digits = /^(?:REDIS|VALKEY)(\d+)$/.exec(magic)?.[1];
  if (digits === undefined) throw new Error("not a snapshot of Redis");
  const version = Buffer.alloc(2);
  version.writeUInt16LE(Number(digits));
  for (let current = 0; ;) {
    const parsedKey = await bytes.parse((cursor) => readKey(cursor, current));
    current = parsedKey.database;
    if (parsedKey.entry === undefined) return;
    if (current !== database) continue;
    const { value, ...key } = parsedKey.entry;
    yield { ...key, value: Buffer.concat([value, version, crc64(value, version)]) };
  }
}

/** No entry at the end. Its value: the byte of its type, then the value as Redis writes it. */
function readKey(cursor: Cursor, from: number): { database: number; entry?: Entry } {
  let database = from;
  let expiresAt = 0;
  for (;;) {
    const type = cursor.byte();
    const skip = skips[type];
    if (skip !== undefined) skip(cursor);
    else if (type === opcodes.database) database = readLength(cursor);
    else if (type === opcodes.expiryMilliseconds)
      expiresAt = Number(cursor.take(8).readBigInt64LE());
    else if (type === opcodes.expirySeconds) expiresAt = cursor.take(4).readInt32LE() * 1000;
    else if (type === opcodes.end) return { database };
    else {
      const key = readString(cursor);
      const start = cursor.at;
      skipValue(cursor, type);
      const value = Buffer.concat([Buffer.of(type), cursor.since(start)]);
      return { database, entry: { key, expiresAt, value } };
    }
  }
}

/** The reflected polynomial of Jones, as Redis uses it, in two halves. */
const polynomial = { high: 0x95ac9329, low: 0xac4bc9b5 };

const highs = new Uint32Array(256);
const lows = new Uint32Array(256);
for (let byte = 0; byte < 256; byte += 1) {
  let high = 0;
  let low = byte;
  for (let bit = 0; bit < 8; bit += 1) {
    const carry = low & 1;
    low = (low >>> 1) | (high << 31);
    high >>>= 1;
    if (carry === 0) continue;
    low ^= polynomial.low;
    high ^= polynomial.high;
  }
  highs[byte] = high;
  lows[byte] = low;
}

/** The checksum at the end of what DUMP returns: 8 bytes, little-endian. */
export function crc64(...parts: Buffer[]): Buffer {
  let high = 0;
  let low = 0;
  for (const part of parts)
    for (const byte of part) {
      const index = (low ^ byte) & 0xff;
      low = ((low >>> 8) | (high << 24)) ^ (lows[index] ?? 0);
      high = (high >>> 8) ^ (highs[index] ?? 0);
    }
  const sum = Buffer.alloc(8);
  sum.writeUInt32LE(low >>> 0, 0);
  sum.writeUInt32LE(high >>> 0, 4);
  return sum;
}
