/** Bytes before the first text: the sign of an array, and its length. */
const headSize = 3;
/** The sign of a text; the byte after it is its length. */
const text = 0xd9;
const longestText = 255;

/**
 * Texts as one argument of a script, which gets them back by `cmsgpack.unpack`. Hundreds of arguments would cost client
 * and server as much as what the script does with them.
 */
export class Packed {
  count = 0;
  readonly #bytes: Buffer;
  #length = headSize;

  /** `most`: max texts. `longest`: max bytes of a text. */
  constructor(most: number, longest: number) {
    this.#bytes = Buffer.allocUnsafe(headSize + most * (2 + longest));
  }

  /**
   * Adds one text: `before`, the bytes of `middle` from `start` to `end`, and `after`. With so few bytes, loops take half
   * the time of Buffer's own methods.
   */
  add(before: Uint8Array, middle: Uint8Array, start: number, end: number, after: Uint8Array): void {
    const bytes = this.#bytes;
    let at = this.#length;
    bytes[at++] = text;
    bytes[at++] = before.length + (end - start) + after.length;
    for (let from = 0; from < before.length; from += 1) bytes[at++] = before[from] as number;
    for (let from = start; from < end; from += 1) bytes[at++] = middle[from] as number;
    for (let from = 0; from < after.length; from += 1) bytes[at++] = after[from] as number;
    this.#length = at;
    this.count += 1;
  }

  bytes(): Buffer {
    this.#bytes.set([0xdc, this.count >> 8, this.count & 0xff]);
    return this.#bytes.subarray(0, this.#length);
  }
}

const none = Buffer.alloc(0);

/** Each at most 255 bytes. */
export function packed(texts: readonly string[]): Buffer {
  const some = new Packed(texts.length, longestText);
  for (const bytes of texts.map((one) => Buffer.from(one)))
    some.add(none, bytes, 0, bytes.length, none);
  return some.bytes();
}

export function firstOf(bytes: Buffer): string {
  const start = headSize + 2;
  return bytes.toString("utf8", start, start + (bytes[start - 1] ?? 0));
}

export function unpacked(bytes: Buffer): string[] {
  const texts: string[] = [];
  for (let start = headSize + 2, end = 0; start <= bytes.length; start = end + 2) {
    end = start + (bytes[start - 1] ?? 0);
    texts.push(bytes.toString("utf8", start, end));
  }
  return texts;
}
