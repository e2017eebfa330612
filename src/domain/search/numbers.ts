/** Whole numbers from 0 on as bytes: seven bits in each byte, the lowest first; the eighth tells that more follow. */
export function packNumbers(numbers: readonly number[]): Buffer {
  const bytes: number[] = [];
  for (let rest of numbers) {
    for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
    bytes.push(rest);
  }
  return Buffer.from(bytes);
}

/** The same for ascending numbers: as the distance of each from the one before. */
export function packAscending(numbers: readonly number[]): Buffer {
  return packNumbers(numbers.map((number, at) => number - (numbers[at - 1] ?? 0)));
}

/** Packed numbers, one after another; undefined at the end. By index: a loop over the bytes takes three times as long. */
export class Unpacking {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  next(): number | undefined {
    const first = this.#bytes[this.#at++];
    if (first === undefined || first < 128) return first;
    let number = first - 128;
    for (let unit = 128; ; unit *= 128) {
      const byte = this.#bytes[this.#at++] ?? 0;
      number += (byte & 127) * unit;
      if (byte < 128) return number;
    }
  }
}

export function unpackAscending(bytes: Uint8Array): number[] {
  const numbers: number[] = [];
  const rest = new Unpacking(bytes);
  let sum = 0;
  for (let next = rest.next(); next !== undefined; next = rest.next()) numbers.push((sum += next));
  return numbers;
}

/** The numbers that all packed lists have; each list ascends. The shortest are read first. */
export function inAll(lists: readonly Uint8Array[]): readonly number[] {
  const [shortest, ...others] = lists.toSorted((one, other) => one.length - other.length);
  let left = shortest === undefined ? [] : unpackAscending(shortest);
  for (const list of others) if (left.length > 0) left = alsoIn(left, list);
  return left;
}

/** Those of ascending numbers that a packed list has, which is read up to the last of them. */
function alsoIn(numbers: readonly number[], bytes: Uint8Array): number[] {
  const both: number[] = [];
  const rest = new Unpacking(bytes);
  let [sum, at] = [0, 0];
  for (let next = rest.next(); next !== undefined; next = rest.next()) {
    sum += next;
    while ((numbers[at] ?? Infinity) < sum) at += 1;
    if (at === numbers.length) break;
    if (numbers[at] === sum) both.push(sum);
  }
  return both;
}

/** Index of the last of ascending numbers that is at most `most`; -1 if there is none. */
export function lastUpTo(numbers: readonly number[], most: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] as number) <= most) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Whether any of ascending numbers is at least `from` and less than `end`. */
export function isAnyIn(numbers: readonly number[], from: number, end: number): boolean {
  return (numbers[lastUpTo(numbers, end - 1)] ?? -1) >= from;
}
