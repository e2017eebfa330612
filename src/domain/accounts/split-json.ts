const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openList = 0x5b;
const closeList = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;
/** Max bytes of a name; no known name is longer. */
const longestName = 100;

/** The text is certainly not JSON. */
export class NotJson extends Error {}

/**
 * The elements of a list, each as JSON, in order. Nothing is parsed, so an element costs no more than its
 * bytes; errors inside it show when it is parsed. Throws NotJson.
 */
export function* splitList(json: Uint8Array): Generator<Uint8Array> {
  const whole = trim(json);
  if (whole[0] !== openList) throw new NotJson("no list");
  yield* cutInside(whole);
}

/** The values of an object, each as JSON; the last one of a repeated name. Throws NotJson. */
export function splitObject(json: Uint8Array): Map<string, Uint8Array> {
  const whole = trim(json);
  if (whole[0] !== openObject) throw new NotJson("no object");
  const values = new Map<string, Uint8Array>();
  for (const member of cutInside(whole)) {
    if (member[0] !== quote) throw new NotJson("no name");
    const end = endOfString(member, 0);
    const value = trim(member.subarray(end + 1));
    if (value[0] !== colon) throw new NotJson("no value");
    if (end < longestName)
      values.set(new TextDecoder().decode(member.subarray(1, end)), trim(value.subarray(1)));
  }
  return values;
}

function* cutInside(whole: Uint8Array): Generator<Uint8Array> {
  for (let start = 1, isEnd = false; !isEnd;) {
    const end = endOfElement(whole, start);
    isEnd = whole[end] !== comma;
    if (isEnd && end !== whole.length - 1) throw new NotJson("more than one value");
    const element = trim(whole.subarray(start, end));
    // Empty brackets contain no element.
    if (element.length > 0 || !isEnd || start > 1) yield element;
    start = end + 1;
  }
}

/** Index of the comma after the element that begins at `start`, or of the bracket after the last. */
function endOfElement(json: Uint8Array, start: number): number {
  let depth = 0;
  for (let at = start; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === quote) at = endOfString(json, at);
    else if (byte === comma && depth === 0) return at;
    else if (byte === openList || byte === openObject) depth += 1;
    else if (byte === closeList || byte === closeObject) {
      if (depth === 0) return at;
      depth -= 1;
    }
  }
  throw new NotJson("no end");
}

/** Index of the quote that ends the string that begins at `start`. */
function endOfString(json: Uint8Array, start: number): number {
  for (let at = start + 1; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === quote) return at;
    if (byte === backslash) at += 1;
  }
  throw new NotJson("a string without end");
}

function trim(json: Uint8Array): Uint8Array {
  let [start, end] = [0, json.length];
  while (start < end && isSpace(json[start])) start += 1;
  while (end > start && isSpace(json[end - 1])) end -= 1;
  return json.subarray(start, end);
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
