import type { z } from "zod";
import { Invalid } from "../errors.ts";
import type { UploadId } from "../ids.ts";
import { newUploadId } from "../pictures/uploads.ts";
import { type Line, linesOf, NewerExport, NoExport, parseJson } from "./export-lines.ts";
import type { TweetRow } from "./import-tweet-rows.ts";
import { kinds, rowsAtMost } from "./kinds.ts";
import { isArchive, readArchive } from "./read-archive.ts";

/** Max characters of a row: several times those of an exported tweet. Longer rows are malformed. */
const rowSize = 16_384;
/** Rows of a part that a tweet with pictures counts for: they take a second or more. */
const pictureWeight = 10;

/** Kinds in the order of their import. */
export const importKinds = ["follow", "tag", "word", "list", "tweet"] as const;
export type ImportKindName = (typeof importKinds)[number];

type RowOf<Name extends ImportKindName> = Name extends "tweet"
  ? TweetRow
  : z.output<(typeof kinds)[Name]["schema"]>;
/** One row to import, small enough to be stored until its turn. Only its shape is checked. */
export type ImportItem =
  | { [Name in ImportKindName]: { kind: Name } & RowOf<Name> }[ImportKindName]
  | { kind: "malformed" };

/** Names of kinds in files of either version. */
const kindOf = new Map<string, ImportKindName>(
  importKinds.flatMap((name) => [
    [name, name],
    [kinds[name].formerly, name],
  ]),
);

/** The contents of an exported file. */
export interface ExportFile {
  total: number;
  /** Oldest first, in parts of at most `size` items; fewer if they have pictures. */
  parts(size: number): Generator<ImportItem[]>;
  /** Pictures of the archive, under new ids. */
  pictures: ReadonlyMap<UploadId, Buffer>;
}

/**
 * Throws Invalid, beside `file`, if it is not an export. Invalid rows are found later, one by one: the file
 * is only cut into lines here, as parsing all of it takes seconds, and as much memory as its writer likes.
 */
export async function readExport(file: Buffer): Promise<ExportFile> {
  const { lines, pictures } = isArchive(file)
    ? await readArchive(file)
    : { lines: file, pictures: new Map<string, Buffer>() };
  const rows = rowsOf(lines);
  const uploads = new Map([...pictures.keys()].map((name) => [name, newUploadId()]));
  return {
    total: [...rows.values()].reduce((sum, some) => sum + some.length, 0),
    *parts(size) {
      // A picture belongs to one tweet.
      const left = new Map(uploads);
      for (const kind of importKinds) {
        const some = rows.get(kind) ?? [];
        // Lists stand oldest first, as their owner sees them, all else newest first.
        const oldestFirst = kind === "list" ? some : some.toReversed();
        yield* partsOf(oldestFirst, size, (json) => toItem(kind, json, left));
      }
    },
    pictures: new Map(
      [...uploads].map(([name, upload]) => [upload, pictures.get(name) ?? Buffer.alloc(0)]),
    ),
  };
}

/** The rows that can be imported, by kind. */
function rowsOf(file: Uint8Array): Map<ImportKindName, string[]> {
  const rows = new Map<ImportKindName, string[]>();
  let total = 0;
  for (const { kind: name, json } of readLines(file)) {
    const kind = kindOf.get(name);
    if (kind === undefined) continue;
    const some = rows.get(kind) ?? [];
    rows.set(kind, some);
    some.push(json);
    total += 1;
    if (total > rowsAtMost || some.length > kinds[kind].most)
      throw new Invalid({ file: "import.large" });
  }
  return rows;
}

function* readLines(file: Uint8Array): Generator<Line> {
  try {
    yield* linesOf(file);
  } catch (error) {
    if (error instanceof NewerExport) throw new Invalid({ file: "import.version" });
    throw error instanceof NoExport ? new Invalid({ file: "import.foreign" }) : error;
  }
}

function* partsOf(
  oldestFirst: string[],
  size: number,
  toItemOf: (json: string) => ImportItem,
): Generator<ImportItem[]> {
  let part: ImportItem[] = [];
  let weight = 0;
  for (const json of oldestFirst) {
    const item = toItemOf(json);
    part.push(item);
    weight += item.kind === "tweet" && item.pictures !== undefined ? pictureWeight : 1;
    if (weight < size) continue;
    yield part;
    [part, weight] = [[], 0];
  }
  if (part.length > 0) yield part;
}

/** A tweet takes its pictures out of `left`. */
function toItem(kind: ImportKindName, json: string, left: Map<string, UploadId>): ImportItem {
  const raw = parseJson(json, rowSize);
  if (kind !== "tweet") {
    const { success, data } = kinds[kind].schema.safeParse(raw);
    return success ? ({ kind, ...data } as ImportItem) : { kind: "malformed" };
  }
  const { success, data } = kinds.tweet.schema.safeParse(raw);
  if (!success) return { kind: "malformed" };
  const pictures = (data.pictures ?? []).flatMap(({ file, description }) => {
    const upload = left.get(file);
    left.delete(file);
    return upload === undefined ? [] : [{ upload, description }];
  });
  return { kind, ...data, pictures: pictures.length === 0 ? undefined : pictures };
}
