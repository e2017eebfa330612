import type { Line } from "../archives/archive.ts";
import { parseJson } from "../archives/json-items.ts";

/** Identifies the format of an export. A change that breaks old readers needs a new version. */
export const exportFormat = "suzume-export";
export const exportVersion = 2;

/** The file is no export, or was cut off. */
export class NoExport extends Error {}
/** The file is from a newer version of Suzume. */
export class NewerExport extends Error {}

/** Max characters of a value that is parsed here: a list of version 1 in one line, such as 200 muted words. */
const longestValue = 200_000;

/** The rows of an export of either version. Throws NoExport, NewerExport. */
export function* linesOf(file: Uint8Array): Generator<Line> {
  const lines = textLines(file);
  const head = lines.next().value ?? "";
  if (head === "{") yield* linesOfVersion1(lines);
  else yield* linesOfVersion2(head, lines);
}

/** Each line is an object with its kind as its first field. */
function* linesOfVersion2(head: string, lines: Iterable<string>): Generator<Line> {
  requireExport(Object(parseJson(head, longestValue)) as Record<string, unknown>);
  for (const json of lines) {
    // A line without a kind counts as a malformed tweet.
    const kind = /^\{\s*"kind"\s*:\s*"(\w+)"/.exec(json)?.[1] ?? "tweet";
    if (kind === "end") return;
    yield { kind, json };
  }
  throw new NoExport();
}

/**
 * One object of lists, written with an item in each line, `"tweets": [` before and `],` after them. A list of tags or
 * words is in one line. The kind is the name of the list.
 */
function* linesOfVersion1(lines: Iterable<string>): Generator<Line> {
  const values: Record<string, unknown> = {};
  let list: string | undefined;
  for (const line of lines) {
    const json = line.replace(/,$/, "");
    const [start = "", name = ""] = /^"(\w+)": /.exec(line) ?? [];
    if (list !== undefined && json === "]") list = undefined;
    else if (list !== undefined) yield { kind: list, json };
    else if (json === "}") {
      requireExport(values);
      return;
    } else if (start === "") throw new NoExport();
    else if (json === `${start}[`) list = name;
    else {
      const value = parseJson(json.slice(start.length), longestValue);
      values[name] = value;
      // Tags were strings.
      for (const item of Array.isArray(value) ? (value as unknown[]) : [])
        yield { kind: name, json: JSON.stringify(typeof item === "string" ? { tag: item } : item) };
    }
  }
  throw new NoExport();
}

function requireExport({ format, version }: Record<string, unknown>): void {
  const number = Number.isInteger(version) ? Number(version) : 0;
  if (format !== exportFormat || number < 1) throw new NoExport();
  if (number > exportVersion) throw new NewerExport();
}

const newline = 0x0a;
const utf8 = new TextDecoder("utf-8", { fatal: true });

/** The lines of a file. One that is not UTF-8 comes as a text that is no JSON. */
function* textLines(file: Uint8Array): Generator<string, undefined> {
  for (let start = 0; start < file.length;) {
    const lineEnd = file.indexOf(newline, start);
    const end = lineEnd === -1 ? file.length : lineEnd;
    const line = decode(file.subarray(start, end)).trim();
    if (line !== "") yield line;
    start = end + 1;
  }
}

function decode(line: Uint8Array): string {
  try {
    return utf8.decode(line);
  } catch {
    return "not UTF-8";
  }
}
