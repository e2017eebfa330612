import { z } from "zod";
import { Invalid } from "../errors.ts";
import { filtersAtMost } from "../graph/filters.ts";
import { tagsAtMost } from "../graph/followed-tags.ts";
import { membersAtMost } from "../graph/list-members.ts";
import { listsAtMost, repliesPolicies } from "../graph/lists.ts";
import type { ImportedList } from "./import-lists.ts";
import type { UploadId } from "../ids.ts";
import { picturesAtMost } from "../pictures/picture.ts";
import { newUploadId } from "../pictures/uploads.ts";
import { exportFormat, exportVersion } from "./export.ts";
import type { ImportPicture } from "./import-pictures.ts";
import { type WordRow, wordRow } from "./muted-word-rows.ts";
import { isArchive, readArchive } from "./read-archive.ts";
import { splitList, splitObject, NotJson } from "./split-json.ts";

/** Max items of all kinds in a file: work for some minutes, and more than a file of 20 MB usually has. */
const itemsAtMost = 200_000;
/** Max bytes of an item: several times those of an exported tweet. Longer items are malformed. */
const itemSize = 16_384;

/** One item to import, small enough to be stored until its turn. Only its shape is checked. */
export type ImportItem =
  | { kind: "follow"; name: string }
  | { kind: "tag"; tag: string }
  | ({ kind: "word" } & WordRow)
  | ({ kind: "list" } & ImportedList)
  | {
      kind: "tweet";
      text: string;
      warning?: string;
      language?: string;
      created_at: string;
      retweet: boolean;
      /** Those whose files are in the archive. */
      pictures?: ImportPicture[];
      sensitive?: boolean;
      edited_at?: string;
    }
  | { kind: "malformed" };

const head = z.object({ format: z.literal(exportFormat), version: z.int().positive() });

const follow = z.object({ name: z.string() });
const peopleList = z.object({
  title: z.string(),
  replies: z.enum(repliesPolicies).catch("list"),
  members: z.array(z.string()).max(membersAtMost),
});
const tweet = z.object({
  text: z.string(),
  warning: z.string().optional(),
  language: z.string().optional(),
  created_at: z.string(),
  retweet_of: z.unknown().optional(),
  pictures: z
    .array(z.object({ file: z.string().default(""), description: z.string().default("") }))
    .max(picturesAtMost)
    .optional(),
  sensitive: z.boolean().optional(),
  edited_at: z.string().optional(),
});

/** The contents of an exported file. */
export interface ExportFile {
  total: number;
  /** Oldest first, in parts of at most `size` items; fewer if they have pictures. */
  parts(size: number): Generator<ImportItem[]>;
  /** Pictures of the archive, under new ids. */
  pictures: ReadonlyMap<UploadId, Buffer>;
}

/** Items of a part that a tweet with pictures counts for: they take a second or more. */
const pictureWeight = 10;

/**
 * Throws Invalid, beside `file`, if it is not an export. Invalid items are found later, one by one: the file
 * is only cut here, as parsing the whole file takes seconds, and as much memory as its writer likes.
 */
export async function readExport(file: Buffer): Promise<ExportFile> {
  const { json, pictures } = isArchive(file)
    ? await readArchive(file)
    : { json: file, pictures: new Map<string, Buffer>() };
  const { version, followings, tags, words, lists, tweets } = cut(json);
  if (version > exportVersion) throw new Invalid({ file: "import.version" });
  const uploads = new Map([...pictures.keys()].map((name) => [name, newUploadId()]));
  return {
    total: followings.length + tags.length + words.length + lists.length + tweets.length,
    *parts(size) {
      yield* partsOf(followings, size, toFollow);
      yield* partsOf(tags, size, toTag);
      yield* partsOf(words, size, toWord);
      // After the follows: a list holds followed users only.
      yield* partsOf(lists.toReversed(), size, toImportList);
      // A picture belongs to one tweet.
      const left = new Map(uploads);
      yield* partsOf(tweets, size, (raw) => toImportTweet(raw, left));
    },
    pictures: new Map(
      [...uploads].map(([name, upload]) => [upload, pictures.get(name) ?? Buffer.alloc(0)]),
    ),
  };
}

function cut(file: Uint8Array) {
  try {
    const values = splitObject(withoutMark(file));
    const parsed = { format: parse(values.get("format")), version: parse(values.get("version")) };
    const followings = itemsOf(values.get("followings"), itemsAtMost);
    // Older files have none.
    const stored = values.get("lists");
    const lists = stored === undefined ? [] : itemsOf(stored, listsAtMost);
    const followed = values.get("followed_tags");
    const tags = followed === undefined ? [] : itemsOf(followed, tagsAtMost);
    const muted = values.get("muted_words");
    const words = muted === undefined ? [] : itemsOf(muted, filtersAtMost);
    const most = itemsAtMost - followings.length - tags.length - words.length - lists.length;
    const tweets = itemsOf(values.get("tweets"), most);
    return { ...head.parse(parsed), followings, tags, words, lists, tweets };
  } catch (error) {
    if (error instanceof Invalid) throw error;
    throw new Invalid({ file: "import.foreign" });
  }
}

/** Skips the byte order mark. */
function withoutMark(file: Uint8Array): Uint8Array {
  const hasMark = file[0] === 0xef && file[1] === 0xbb && file[2] === 0xbf;
  return hasMark ? file.subarray(3) : file;
}

function itemsOf(list: Uint8Array | undefined, atMost: number): Uint8Array[] {
  if (list === undefined) throw new NotJson("no such list");
  const items: Uint8Array[] = [];
  for (const item of splitList(list)) {
    if (items.length === atMost) throw new Invalid({ file: "import.large" });
    items.push(item);
  }
  return items;
}

function* partsOf(
  newestFirst: Uint8Array[],
  size: number,
  toItem: (raw: unknown) => ImportItem,
): Generator<ImportItem[]> {
  let part: ImportItem[] = [];
  let weight = 0;
  for (let at = newestFirst.length - 1; at >= 0; at -= 1) {
    const item = toItem(parse(newestFirst[at]));
    part.push(item);
    weight += item.kind === "tweet" && item.pictures !== undefined ? pictureWeight : 1;
    if (weight < size && at > 0) continue;
    yield part;
    part = [];
    weight = 0;
  }
}

/** Undefined if it is not JSON, or too long. */
function parse(json: Uint8Array | undefined): unknown {
  if (json === undefined || json.length > itemSize) return undefined;
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(json));
  } catch {
    return undefined;
  }
}

function toFollow(raw: unknown): ImportItem {
  const { success, data } = follow.safeParse(raw);
  return success ? { kind: "follow", name: data.name } : { kind: "malformed" };
}

function toTag(raw: unknown): ImportItem {
  return typeof raw === "string" ? { kind: "tag", tag: raw } : { kind: "malformed" };
}

function toWord(raw: unknown): ImportItem {
  const { success, data } = wordRow.safeParse(raw);
  return success ? { kind: "word", ...data } : { kind: "malformed" };
}

function toImportList(raw: unknown): ImportItem {
  const { success, data } = peopleList.safeParse(raw);
  return success ? { kind: "list", ...data } : { kind: "malformed" };
}

/** Takes its pictures out of `left`. */
function toImportTweet(raw: unknown, left: Map<string, UploadId>): ImportItem {
  const { success, data } = tweet.safeParse(raw);
  if (!success) return { kind: "malformed" };
  const {
    text,
    warning,
    language,
    created_at,
    retweet_of,
    pictures: listed = [],
    sensitive,
    edited_at,
  } = data;
  const retweet = retweet_of !== undefined;
  const edited = edited_at === undefined ? {} : { edited_at };
  const warned = warning === undefined ? {} : { warning };
  const spoken = language === undefined ? {} : { language };
  const said = { text, ...warned, ...spoken };
  const item = { kind: "tweet", ...said, created_at, retweet, ...edited } as const;
  const pictures = listed.flatMap(({ file, description }) => {
    const upload = left.get(file);
    left.delete(file);
    return upload === undefined ? [] : [{ upload, description }];
  });
  return pictures.length === 0 ? item : { ...item, pictures, sensitive: sensitive === true };
}
