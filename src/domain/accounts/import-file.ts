import type { z } from "zod";
import { Invalid } from "../errors.ts";
import type { UploadId } from "../ids.ts";
import { newUploadId } from "../pictures/uploads.ts";
import type { Ctx } from "../../context.ts";
import { type Archive, type Line, rowsAtMost } from "../archives/archive.ts";
import type { Source } from "../archives/zip.ts";
import { parseJson } from "../archives/json-items.ts";
import { readArchive } from "./read-archive.ts";
import type { ImportPicture } from "./import-pictures.ts";
import { digestOfRow, type TweetRow } from "./import-tweet-rows.ts";
import { kinds } from "./kinds.ts";

/** Max characters of a row: several times those of an exported tweet. Longer rows are malformed. */
const rowSize = 16_384;
/** Max pictures of a file. */
const picturesAtMost = 10_000;
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

/** The contents of a file. */
export type ExportFile = Awaited<ReturnType<typeof readExport>>;

/**
 * Throws Invalid, beside `file`, if it is none that can be imported. Invalid rows are found later, one by one: an
 * export is only cut into lines here, as parsing all of it takes seconds, and as much memory as its writer likes.
 */
export async function readExport(ctx: Ctx, file: Source) {
  const { place, lines, picture } = await readArchive(ctx, file);
  const rows = rowsOf(lines);
  const reader = new RowReader(picture);
  return {
    place,
    total: [...rows.values()].reduce((sum, some) => sum + some.length, 0),
    /** Oldest first, in parts of at most `size` items; fewer if they have pictures. */
    *parts(size: number) {
      for (const kind of importKinds) {
        const some = rows.get(kind) ?? [];
        // Lists stand oldest first, as their owner sees them, all else newest first.
        const oldestFirst = kind === "list" ? some : some.toReversed();
        yield* partsOf(oldestFirst, size, (json) => reader.toItem(kind, json));
      }
    },
    /** Those that items of finished parts have. */
    pictures: reader.pictures,
  };
}

/** The rows that can be imported, by kind. */
function rowsOf(lines: Iterable<Line>): Map<ImportKindName, string[]> {
  const rows = new Map<ImportKindName, string[]>();
  let total = 0;
  for (const { kind: name, json } of lines) {
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

/** Makes items of rows, oldest first. */
class RowReader {
  readonly pictures = new Map<UploadId, () => Promise<Buffer>>();
  readonly #picture: Archive["picture"];
  readonly #taken = new Set<string>();
  /** Rows of tweets by their ids, for the tweets that answer them. */
  readonly #rows = new Map<string, string>();

  constructor(picture: Archive["picture"]) {
    this.#picture = picture;
  }

  toItem(kind: ImportKindName, json: string): ImportItem {
    const raw = parseJson(json, rowSize);
    if (kind === "tweet") return this.#toTweet(json, raw);
    const { success, data } = kinds[kind].schema.safeParse(raw);
    return success ? ({ kind, ...data } as ImportItem) : { kind: "malformed" };
  }

  #toTweet(json: string, raw: unknown): ImportItem {
    const { data } = kinds.tweet.schema.safeParse(raw);
    if (data === undefined) return { kind: "malformed" };
    const { id, reply_to: parent, ...row } = data;
    const answered = parent === undefined ? undefined : this.#rows.get(idIn(parent));
    if (id !== undefined) this.#rows.set(idIn(id), json);
    const pictures = (row.pictures ?? []).flatMap((one) => this.#take(one));
    return {
      kind: "tweet",
      ...row,
      pictures: pictures.length === 0 ? undefined : pictures,
      answers: answered === undefined ? undefined : this.#digestOf(answered),
    };
  }

  #digestOf(json: string): string | undefined {
    const { data } = kinds.tweet.schema.safeParse(parseJson(json, rowSize));
    return data && digestOfRow(data);
  }

  /** A picture belongs to one tweet. */
  #take({ file, description }: { file: string; description: string }): ImportPicture[] {
    const read = this.#taken.has(file) ? undefined : this.#picture(file);
    if (read === undefined) return [];
    if (this.pictures.size >= picturesAtMost) throw new Invalid({ file: "import.large" });
    const upload = newUploadId();
    this.#taken.add(file);
    this.pictures.set(upload, read);
    return [{ upload, description }];
  }
}

/** Of tweets of Suzume, the number: a reply has the whole address. */
function idIn(id: string): string {
  return /\/tweets\/(\d+)$/.exec(id)?.[1] ?? id;
}
