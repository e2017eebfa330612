import { z } from "zod";
import { Invalid } from "../errors.ts";
import { exportFormat, exportVersion } from "./export.ts";

/** Of any kind, in one file: a job for some minutes, and more than a file of 20 MB usually holds. */
const itemsAtMost = 200_000;

/** One thing to import, unchecked but for its shape, small enough to be kept until its turn. */
export type ImportItem =
  | { kind: "follow"; name: string }
  | { kind: "tweet"; text: string; created_at: string; retweet: boolean }
  | { kind: "malformed" };

const exported = z.object({
  format: z.literal(exportFormat),
  version: z.int().positive(),
  followings: z.array(z.unknown()),
  tweets: z.array(z.unknown()),
});

const follow = z.object({ name: z.string() });
const tweet = z.object({
  text: z.string(),
  created_at: z.string(),
  retweet_of: z.unknown().optional(),
});

/** What an exported file has in it. */
export interface ExportFile {
  total: number;
  /** Oldest first, as things came to be, so many at a time. */
  parts(size: number): Generator<ImportItem[]>;
}

/**
 * Throws Invalid, beside `file`, if it is no export. Single items that are none are found later, one
 * by one.
 */
export function readExport(file: Uint8Array): ExportFile {
  const { version, followings, tweets } = parse(file);
  if (version > exportVersion) throw new Invalid({ file: "import.version" });
  const total = followings.length + tweets.length;
  if (total > itemsAtMost) throw new Invalid({ file: "import.large" });
  return {
    total,
    *parts(size) {
      yield* partsOf(followings, size, toFollow);
      yield* partsOf(tweets, size, toTweet);
    },
  };
}

function* partsOf(
  newestFirst: unknown[],
  size: number,
  toItem: (raw: unknown) => ImportItem,
): Generator<ImportItem[]> {
  for (let end = newestFirst.length; end > 0; end -= size)
    yield newestFirst
      .slice(Math.max(0, end - size), end)
      .toReversed()
      .map(toItem);
}

function parse(file: Uint8Array): z.infer<typeof exported> {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(file);
    return exported.parse(JSON.parse(text));
  } catch {
    throw new Invalid({ file: "import.foreign" });
  }
}

function toFollow(raw: unknown): ImportItem {
  const { success, data } = follow.safeParse(raw);
  return success ? { kind: "follow", name: data.name } : { kind: "malformed" };
}

function toTweet(raw: unknown): ImportItem {
  const { success, data } = tweet.safeParse(raw);
  if (!success) return { kind: "malformed" };
  const { text, created_at, retweet_of } = data;
  return { kind: "tweet", text, created_at, retweet: retweet_of !== undefined };
}
