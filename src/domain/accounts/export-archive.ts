import { Readable } from "node:stream";
import { LRUCache } from "lru-cache";
import { ZipFile } from "yazl";
import type { Ctx } from "../../context.ts";
import { inBatches } from "../concurrency-limit.ts";
import { keys } from "../../redis/keys.ts";
import { tweetId, type UserId } from "../ids.ts";
import { memo } from "../memo.ts";
import { headerOf } from "../pictures/header.ts";
import { readTweets } from "../tweets/store.ts";
import type { Tweet } from "../tweets/tweet.ts";
import type { User } from "../users/store.ts";
import { exportLines } from "./export.ts";
import { avatarFile, type ExportOptions, headerFile, pictureFile } from "./export-rows.ts";

/** Max bytes and number of the pictures in an archive: an import takes 20 MB. */
const archiveBytes = 16_000_000;
const archiveFiles = 300;
/** Bytes that count for an old picture, whose size was not noted. */
const unknownBytes = 400_000;
/** Tweets of one read. */
const atOnce = 500;

/** Numbers of archives, by user and number of pictures. */
const countsIn = memo((_ctx: Ctx) => new LRUCache<string, number>({ max: 1000 }));

/** Number of archives. Reads all tweets with pictures once, and again when the number of pictures has changed. */
export async function countArchives(ctx: Ctx, user: UserId): Promise<number> {
  const counts = countsIn(ctx);
  const key = `${user}:${await ctx.redis.hlen(keys.pictures(user))}`;
  const count = counts.get(key) ?? (await pictureArchives(ctx, user)).length;
  counts.set(key, count);
  return count;
}

/** The user's tweets with pictures, newest first, as many together as an archive holds. */
export async function pictureArchives(ctx: Ctx, user: UserId): Promise<Tweet[][]> {
  const ids = [...new Set(await ctx.redis.hvals(keys.pictures(user)))].map(tweetId);
  const tweets: Tweet[] = [];
  for (const some of inBatches(ids, atOnce))
    for (const tweet of await readTweets(ctx, some))
      if (tweet?.pictures !== undefined && tweet.pictures.length > 0) tweets.push(tweet);
  const archives: Tweet[][] = [];
  let [bytes, files] = [Infinity, 0];
  for (const tweet of tweets.toSorted((one, other) => other.createdAt - one.createdAt)) {
    const { pictures = [] } = tweet;
    const size = pictures.reduce((sum, { large }) => sum + (large.bytes ?? unknownBytes), 0);
    if (bytes + size > archiveBytes || files + pictures.length > archiveFiles) {
      archives.push([]);
      [bytes, files] = [0, 0];
    }
    archives.at(-1)?.push(tweet);
    bytes += size;
    files += pictures.length;
  }
  return archives;
}

/**
 * A ZIP of some tweets with the files of their pictures, the user's avatar and header, and `export.jsonl` as in
 * exportLines. Files are read only as the archive is consumed.
 */
export function exportArchive(
  ctx: Ctx,
  { user, site }: ExportOptions,
  tweets: readonly Tweet[],
): AsyncIterable<Buffer> {
  const zip = new LazyZip();
  zip.addText("export.jsonl", () => exportLines(ctx, { user, site, tweets }));
  addProfilePictures(ctx, zip, user);
  addPictures(ctx, zip, tweets, pictureFile);
  return zip.end();
}

export function addProfilePictures(ctx: Ctx, zip: LazyZip, user: User): void {
  const avatar = async () => (await ctx.redis.getBuffer(keys.avatar(user.id))) ?? Buffer.alloc(0);
  if (user.avatar !== "") zip.add(avatarFile, async () => Readable.from([await avatar()]));
  const header = headerOf(user);
  if (header !== undefined) zip.add(headerFile, () => storedFile(ctx, header.large.file));
}

export function addPictures(
  ctx: Ctx,
  zip: LazyZip,
  tweets: readonly Tweet[],
  nameOf: (file: string) => string,
): void {
  for (const { pictures = [] } of tweets)
    for (const { large } of pictures)
      zip.add(nameOf(large.file), () => storedFile(ctx, large.file));
}

/** Empty if the storage has lost it. */
async function storedFile(ctx: Ctx, name: string): Promise<Readable> {
  const file = await ctx.storage?.find(name);
  return file === undefined ? Readable.from([Buffer.alloc(0)]) : await file.read();
}

/** A ZIP whose files are opened one after another, only as it is consumed. */
export class LazyZip {
  readonly #zip = new ZipFile();
  readonly #out = this.#zip.outputStream as Readable;
  /** Yazl looks after neither: an error would end the process, and a file would stay open if the client goes away. */
  #current: Readable | undefined;

  constructor() {
    this.#zip.on("error", (error: Error) => this.#out.destroy(error));
    // Its reader gets the error, also later. Without a listener an error before that would end the process.
    this.#out.on("error", () => {}).once("close", () => this.#current?.destroy());
  }

  /** A file, compressed unless it is a picture. */
  add(name: string, open: () => Promise<Readable>, compress = false): void {
    this.#zip.addReadStreamLazy(name, { compress }, (begin) => {
      open().then(
        (stream) => begin(null, this.#take(stream)),
        (error: Error) => begin(error, Readable.from([])),
      );
    });
  }

  addText(name: string, pieces: () => AsyncIterable<string>): void {
    this.add(name, () => Promise.resolve(Readable.from(pieces(), { objectMode: false })), true);
  }

  /** No file comes after this. */
  end(): Readable {
    this.#zip.end();
    return this.#out;
  }

  #take(stream: Readable): Readable {
    this.#current = stream.once("error", (error) => this.#out.destroy(error));
    if (this.#out.destroyed) stream.destroy();
    return stream;
  }
}
