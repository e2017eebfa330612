/** One key of Redis. */
export interface Entry {
  key: Buffer;
  /** Milliseconds since 1970; 0: never. */
  expiresAt: number;
  /** As DUMP returns it and RESTORE takes it. */
  value: Buffer;
}

/** Thrown inside `Bytes.parse` while bytes are missing. */
class Missing extends Error {}

/** Reads bytes in order; see Bytes. */
export class Cursor {
  readonly #buffer: Buffer;
  at: number;

  constructor(buffer: Buffer, at: number) {
    this.#buffer = buffer;
    this.at = at;
  }

  take(count: number): Buffer {
    const end = this.at + count;
    if (end > this.#buffer.length) throw new Missing();
    const bytes = this.#buffer.subarray(this.at, end);
    this.at = end;
    return bytes;
  }

  byte(): number {
    return this.take(1).readUInt8();
  }

  /** What was passed since `start`. */
  since(start: number): Buffer {
    return this.#buffer.subarray(start, this.at);
  }
}

/** The bytes of a stream, for parsers that need a whole record at once. */
export class Bytes {
  readonly #chunks: AsyncIterator<Buffer>;
  #buffer: Buffer = Buffer.alloc(0);
  #at = 0;

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** Runs `parser`, again from the same place while bytes are missing. Throws at the end of the stream. */
  async parse<Result>(parser: (cursor: Cursor) => Result): Promise<Result> {
    for (;;) {
      const cursor = new Cursor(this.#buffer, this.#at);
      try {
        const result = parser(cursor);
        this.#at = cursor.at;
        return result;
      } catch (error) {
        if (!(error instanceof Missing)) throw error;
      }
      await this.#read();
    }
  }

  /** Doubles what is there, so that a long record is not parsed at every chunk. */
  async #read(): Promise<void> {
    const parts = [this.#buffer.subarray(this.#at)];
    const wanted = Math.max(parts[0]?.length ?? 0, 1);
    for (let read = 0; read < wanted;) {
      const { done, value } = await this.#chunks.next();
      if (done === true) {
        if (read > 0) break;
        throw new Error("ended too early");
      }
      parts.push(value);
      read += value.length;
    }
    this.#buffer = Buffer.concat(parts);
    this.#at = 0;
  }
}
