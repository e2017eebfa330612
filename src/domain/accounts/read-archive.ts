import type { Ctx } from "../../context.ts";
import { buffer } from "node:stream/consumers";
import { Invalid } from "../errors.ts";
import { type Archive, toLines } from "../archives/archive.ts";
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
import type { Source } from "../archives/source.ts";
import { isZip, openZip, type Zip, zipOf } from "../archives/zip.ts";
import { linesOf } from "./export-lines.ts";

/** The export of Suzume; of version 1, the second. */
const exportFiles = ["export.jsonl", "export.json"];
/** Max bytes of the export when it is unpacked. */
const exportBytes = 20 * 1024 * 1024;

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
  return { place: "suzume", lines: linesOf(await exportIn(zip)), picture };
}

/** The name that a file alone has in the archive of its place. */
function nameOf(file: Source): string {
  if (isXFile(file)) return "data/tweets.js";
  if (isOutbox(file)) return "outbox.json";
  if (isFollows(file)) return "following_accounts.csv";
  if (isCar(file.head)) return "repo.car";
  return "export.jsonl";
}

async function exportIn(zip: Zip): Promise<Buffer> {
  for (const name of exportFiles) {
    const pieces = await zip.open(name, exportBytes);
    if (pieces !== undefined) return await buffer(pieces);
  }
  throw new Invalid({ file: "import.foreign" });
}
