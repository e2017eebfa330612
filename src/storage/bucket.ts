import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { S3mini } from "s3mini";
import type { BucketConfig } from "../config.ts";
import type { ListedFile, Storage } from "./storage.ts";

/** Milliseconds until a request ends, with its body, which a slow reader may be reading. See guard-storage.ts, too. */
const patience = 60_000;

const folder = "pictures/";
const aside = "pictures-removed/";
const anyType = "application/octet-stream";
const keyOf = (name: string) => `${folder}${name}`;

/** Files under pictures/ in a bucket; those set aside are under pictures-removed/. */
export function openBucket({ url, region, keyId, secret }: BucketConfig): Storage {
  const bucket = new S3mini({
    endpoint: url,
    region,
    accessKeyId: keyId,
    secretAccessKey: secret,
    requestAbortTimeout: patience,
  });
  /** Some services refuse to delete what is not there. */
  const drop = async (key: string) => {
    await bucket.deleteObject(key).catch((error: unknown) => {
      if ((error as { status?: number }).status !== 404) throw error;
    });
  };
  return {
    put: async (name, bytes, type) => void (await bucket.putObject(keyOf(name), bytes, type)),
    putBriefly: async (name, bytes) => void (await bucket.putObject(keyOf(name), bytes, anyType)),
    async find(name) {
      const key = keyOf(name);
      if ((await bucket.objectExists(key)) !== true) return undefined;
      return {
        size: await bucket.getContentLength(key),
        async read(range) {
          const end = range && range.end + 1;
          const { body } = await bucket.getObjectRaw(key, range === undefined, range?.start, end);
          return body ? Readable.fromWeb(body as ReadableStream<Uint8Array>) : Readable.from([]);
        },
      };
    },
    remove: (name) => drop(keyOf(name)),
    freeBytes: () => Promise.resolve(Infinity),
    check: async () => void (await bucket.putObject(`${aside}check`, "suzume")),
    async setAside(name) {
      // Read and written again: not every bucket understands the copy requests of the library.
      const bytes = await bucket.getObjectArrayBuffer(keyOf(name));
      if (bytes === null) return;
      await bucket.putObject(`${aside}${name}`, Buffer.from(bytes), anyType);
      await drop(keyOf(name));
    },
    async deleteSetAside(before) {
      for await (const { name, writtenAt } of listBucket(bucket, aside))
        if (writtenAt < before) await drop(`${aside}${name}`);
    },
    list: () => listBucket(bucket, folder),
  };
}

async function* listBucket(bucket: S3mini, prefix: string): AsyncGenerator<ListedFile> {
  let next: string | undefined;
  do {
    const page = await bucket.listObjectsPaged("/", prefix, 1000, next);
    for (const { Key, LastModified, Size } of page?.objects ?? []) {
      const writtenAt = new Date(LastModified).getTime();
      yield { name: Key.slice(prefix.length), bytes: Size, writtenAt };
    }
    next = page?.nextContinuationToken;
  } while (next !== undefined && next !== "");
}
