import { buffer } from "node:stream/consumers";
import type { Ctx } from "../../context.ts";
import { Invalid } from "../errors.ts";
import {
  type Archive,
  charactersAtMost,
  type Line,
  rowsAtMost,
  toLines,
} from "../archives/archive.ts";
import { blueskyTweets, isBlueskyArchive } from "../archives/bluesky.ts";
import { isCar } from "../archives/car.ts";
import {
  isFollows,
  isMastodonArchive,
  isOutbox,
  mastodonFollows,
  mastodonTweets,
} from "../archives/mastodon.ts";
import { isXArchive, isXFile, xTweets } from "../archives/x.ts";
import { isZip, openZip, type Source, type Zip, zipOf } from "../archives/zip.ts";
import { parseJson } from "../archives/json-items.ts";

/** The export of Suzume; of version 1, the second. */
const exportFiles = ["export.jsonl", "export.json"];

/**
 * Finds out where a file comes from, by its content, and reads it: the archive of a place, or the file of it that
 * matters. Throws Invalid beside `file`.
 */
export async function readArchive(ctx: Ctx, file: Source): Promise<Archive> {
  const zip = isZip(file) ? await openZip(file) : zipOf(nameOf(file), file);
  const { picture } = zip;
  if (isXArchive(zip)) return { place: "x", lines: await toLines(xTweets(zip)), picture };
  if (isMastodonArchive(zip)) {
    const tweets = await toLines(mastodonTweets(ctx, zip));
    const lines = [...(await mastodonFollows(ctx, zip)), ...tweets];
    return { place: "mastodon", lines, picture };
  }
  if (isBlueskyArchive(zip))
    return { place: "bluesky", lines: await toLines(blueskyTweets(zip)), picture };
  return { place: "suzume", lines: linesOf(await exportIn(ctx, zip)), picture };
}

/** The name that a file alone has in the archive of its place. */
function nameOf(file: Source): string {
  if (isXFile(file)) return "data/tweets.js";
  if (isOutbox(file)) return "outbox.json";
  if (isFollows(file)) return "following_accounts.csv";
  if (isCar(file.head)) return "repo.car";
  return "export.jsonl";
}

/** Unpacked it may be as large as a file that is uploaded, up to what is held in memory. */
async function exportIn({ config }: Ctx, zip: Zip): Promise<Buffer> {
  for (const name of exportFiles) {
    const most = Math.min(config.importMegabytes * 1024 * 1024, charactersAtMost);
    const pieces = await zip.open(name, most);
    if (pieces !== undefined) return await buffer(pieces);
  }
  throw noExport();
}

/** Identifies the format of an export. A change that breaks old readers needs a new version. */
export const exportFormat = "suzume-export";
export const exportVersion = 2;

/** The file is no export, or was cut off. */
const noExport = () => new Invalid({ file: "import.foreign" });

/** Max lines, with those that are empty or of no kind that can be imported: no file holds the process for long. */
const linesAtMost = 5 * rowsAtMost;
/** Max characters of a value that is parsed here: a list of version 1 in one line, such as 200 muted words. */
const longestValue = 200_000;

/** The rows of an export of either version. Throws Invalid beside `file`. */
function* linesOf(file: Uint8Array): Generator<Line> {
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
  throw noExport();
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
    } else if (start === "") throw noExport();
    else if (json === `${start}[`) list = name;
    else {
      const value = parseJson(json.slice(start.length), longestValue);
      values[name] = value;
      // Tags were strings.
      for (const item of Array.isArray(value) ? (value as unknown[]) : [])
        yield { kind: name, json: JSON.stringify(typeof item === "string" ? { tag: item } : item) };
    }
  }
  throw noExport();
}

function requireExport({ format, version }: Record<string, unknown>): void {
  const number = Number.isInteger(version) ? Number(version) : 0;
  if (format !== exportFormat || number < 1) throw noExport();
  if (number > exportVersion) throw new Invalid({ file: "import.version" });
}

const newline = 0x0a;
const utf8 = new TextDecoder("utf-8", { fatal: true });

/** The lines of a file. One that is not UTF-8 comes as a text that is no JSON. Throws Invalid if there are too many. */
function* textLines(file: Uint8Array): Generator<string, undefined> {
  for (let start = 0, count = 0; start < file.length; count += 1) {
    if (count > linesAtMost) throw new Invalid({ file: "import.large" });
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
