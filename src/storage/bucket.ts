import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { S3mini } from "s3mini";
import type { BucketConfig } from "../config.ts";
import type { ListedFile, Storage } from "./storage.ts";

/** Milliseconds until a request to the bucket is given up. */
const patience = 20_000;

const keyOf = (name: string) => `pictures/${name}`;

/** Files under pictures/ in a bucket. */
export function openBucket({ url, region, keyId, secret }: BucketConfig): Storage {
  const bucket = new S3mini({
    endpoint: url,
    region,
    accessKeyId: keyId,
    secretAccessKey: secret,
    requestAbortTimeout: patience,
  });
  return {
    async put(name, bytes, type) {
      await bucket.putObject(keyOf(name), bytes, type);
    },
    async putBriefly(name, bytes) {
      await bucket.putObject(keyOf(name), bytes, "application/octet-stream");
    },
    async find(name) {
      const key = keyOf(name);
      if ((await bucket.objectExists(key)) !== true) return undefined;
      return {
        size: await bucket.getContentLength(key),
        async read(range) {
          const answer =
            range === undefined
              ? await bucket.getObjectRaw(key)
              : await bucket.getObjectRaw(key, false, range.start, range.end + 1);
          if (answer.body === null) return Readable.from([]);
          return Readable.fromWeb(answer.body as ReadableStream<Uint8Array>);
        },
      };
    },
    async remove(name) {
      await bucket.deleteObject(keyOf(name));
    },
    freeBytes: () => Promise.resolve(Infinity),
    list: () => listBucket(bucket),
  };
}

async function* listBucket(bucket: S3mini): AsyncGenerator<ListedFile> {
  let next: string | undefined;
  do {
    const page = await bucket.listObjectsPaged("/", "pictures/", 1000, next);
    for (const { Key, LastModified } of page?.objects ?? [])
      yield { name: Key.slice("pictures/".length), writtenAt: new Date(LastModified).getTime() };
    next = page?.nextContinuationToken;
  } while (next !== undefined && next !== "");
}
