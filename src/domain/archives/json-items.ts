import { Invalid } from "../errors.ts";

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const [openers, closers] = [new Set([0x5b, 0x7b]), new Set([0x5d, 0x7d])];
/** Max bytes of an item; of longer ones nothing is kept. */
const itemBytes = 256 * 1024;
/** Max bytes before the list. */
const headBytes = 64 * 1024;

/**
 * The items of the first list after `head` in a file of JSON, cut out while the file is read: of any file, only one
 * item is in memory. One that is too long or no JSON comes as undefined. Throws Invalid beside `file` if there is no list, or it does not end.
 */
export async function* jsonItems(
  pieces: AsyncIterable<Buffer> | undefined,
  head: RegExp,
): AsyncGenerator {
  const cutter = new Cutter();
  let start: Buffer | undefined = Buffer.alloc(0);
  for await (const piece of pieces ?? []) {
    if (start === undefined) yield* cutter.cut(piece);
    else {
      start = Buffer.concat([start, piece]);
      const match = head.exec(start.toString("latin1"));
      if (match === null && start.length > headBytes) break;
      if (match === null) continue;
      yield* cutter.cut(start.subarray(match.index + match[0].length));
      start = undefined;
    }
    if (cutter.isEnded) return;
  }
  throw new Invalid({ file: start === undefined ? "import.damaged" : "import.foreign" });
}

/** Cuts a list at its commas. It knows of JSON only what is needed for that: strings and brackets. */
class Cutter {
  isEnded = false;
  #depth = 0;
  #isString = false;
  #isEscaped = false;
  /** The item so far; undefined if it is too long. */
  #parts: Buffer[] | undefined = [];
  #bytes = 0;

  *cut(piece: Buffer): Generator {
    let start = 0;
    for (let at = 0; at < piece.length; at += 1) {
      const byte = piece[at] ?? 0;
      if (this.#isString) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (byte === backslash) this.#isEscaped = true;
        else if (byte === quote) this.#isString = false;
      } else if (byte === quote) this.#isString = true;
      else if (openers.has(byte)) this.#depth += 1;
      else if (this.#depth > 0 && closers.has(byte)) this.#depth -= 1;
      else if (this.#depth === 0 && (byte === comma || closers.has(byte))) {
        this.#keep(piece.subarray(start, at));
        start = at + 1;
        this.isEnded = byte !== comma;
        const json = this.#take();
        // Nothing stands between the brackets of an empty list.
        if (!(this.isEnded && json === "")) yield json && parseJson(json, itemBytes);
        if (this.isEnded) return;
      }
    }
    this.#keep(piece.subarray(start));
  }

  #keep(part: Buffer): void {
    this.#bytes += part.length;
    if (this.#bytes > itemBytes) this.#parts = undefined;
    else this.#parts?.push(part);
  }

  #take(): string | undefined {
    const json = this.#parts && Buffer.concat(this.#parts).toString().trim();
    [this.#parts, this.#bytes] = [[], 0];
    return json;
  }
}

/** Undefined if it is not JSON, or longer than `most` characters. */
export function parseJson(json: string, most: number): unknown {
  if (json.length > most) return undefined;
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
