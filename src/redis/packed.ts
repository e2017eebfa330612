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

  /** For at most so many texts, of at most so many bytes. */
  constructor(most: number, longest: number) {
    this.#bytes = Buffer.allocUnsafe(headSize + most * (2 + longest));
  }

  /** Adds the text that is made of these bytes, of which `start` and `end` are the bounds of the middle ones. */
  add(before: Buffer, middle: Buffer, start: number, end: number, after: Buffer): void {
    this.#bytes[this.#length++] = text;
    this.#bytes[this.#length++] = before.length + (end - start) + after.length;
    this.#append(before, 0, before.length);
    this.#append(middle, start, end);
    this.#append(after, 0, after.length);
    this.count += 1;
  }

  /** For so few bytes this takes half the time of Buffer's own methods. */
  #append(from: Buffer, start: number, end: number): void {
    const shift = this.#length - start;
    for (let at = start; at < end; at += 1) this.#bytes[at + shift] = from[at] ?? 0;
    this.#length += end - start;
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
