import { Readable } from "node:stream";
import { StorageAway } from "../domain/errors.ts";
import type { Storage, StoredFile } from "./storage.ts";
import type { Config } from "../config.ts";
import { openBucket } from "./bucket.ts";
import { openFolder } from "./folder.ts";

/** Undefined where nothing would keep files: a dyno of Heroku loses its disk every day. */
export function openStorage(config: Config, patience?: number): Storage | undefined {
  if (config.bucket !== undefined) return guardStorage(openBucket(config.bucket), patience);
  return config.losesFiles ? undefined : guardStorage(openFolder(config.dataDir), patience);
}

/** Failures in a row after which a storage counts as away. */
const failuresAtMost = 3;
/** Milliseconds in which a storage that is away is not asked; the first call after them tries it. */
const pause = 3000;
/** Max milliseconds that a page waits for an answer, and for each part of a file. */
const pagePatience = 2000;
/** Milliseconds more for each byte that is written: 100 kB a second are enough. */
const perByte = 0.01;

/**
 * The same storage for pages and jobs. A call that fails or gets no answer in time throws StorageAway; after some of
 * these in a row calls fail at once, so that nobody waits. Reads and writes are counted apart: a full disk can be read.
 * The calls of the doctor and of backups stay as they are.
 */
export function guardStorage(storage: Storage, patience = pagePatience): Storage {
  const reading = breaker();
  const writing = breaker();
  const timeFor = (bytes: Buffer) => patience + perByte * bytes.length;
  return {
    ...storage,
    put: (name, bytes, type) => writing(() => storage.put(name, bytes, type), timeFor(bytes)),
    putBriefly: (name, bytes) => writing(() => storage.putBriefly(name, bytes), timeFor(bytes)),
    async find(name) {
      const file = await reading(() => storage.find(name), patience);
      if (file === undefined) return undefined;
      const read: StoredFile["read"] = async (range) => {
        const opening = new AbortController();
        const open = async () => {
          const parts = await file.read(range);
          // The reader has given up.
          if (opening.signal.aborted) parts.destroy();
          return parts;
        };
        const parts = await reading(open, patience).finally(() => opening.abort());
        return watched(parts, (next) => reading(next, patience));
      };
      return { size: file.size, read };
    },
    remove: (name) => writing(() => storage.remove(name), patience),
    freeBytes: () => reading(() => storage.freeBytes(), patience),
    check: () => writing(() => storage.check(), patience),
  };
}

/** The same bytes. Only waiting for the storage counts, not the time of a slow reader. */
function watched(
  parts: Readable,
  run: (next: () => Promise<IteratorResult<unknown>>) => Promise<IteratorResult<unknown>>,
): Readable {
  async function* inTurn() {
    const iterator = parts[Symbol.asyncIterator]();
    const next = () => iterator.next();
    for (let part = await run(next); part.done !== true; part = await run(next)) yield part.value;
  }
  // The iterator throws it; before it begins, nothing else listens.
  parts.on("error", () => {});
  return Readable.from(inTurn(), { objectMode: false }).once("close", () => parts.destroy());
}

type Run = <Result>(work: () => Promise<Result>, milliseconds: number) => Promise<Result>;

/** Runs calls as guardStorage says. */
function breaker(): Run {
  let failures = 0;
  let nextTry = 0;
  let reason: unknown;
  return async (work, milliseconds) => {
    if (failures >= failuresAtMost) {
      if (performance.now() < nextTry) throw away(reason);
      nextTry = performance.now() + pause;
    }
    try {
      const result = await inTime(work(), milliseconds);
      failures = 0;
      return result;
    } catch (error) {
      if (isDefect(error)) throw error;
      failures += 1;
      nextTry = performance.now() + pause;
      reason = error;
      throw away(reason);
    }
  };
}

function away(reason: unknown): StorageAway {
  const words = reason instanceof Error ? reason.message : String(reason);
  return new StorageAway(`the storage of pictures: ${words}`, { cause: reason });
}

/** A wrong name, for example. The TypeError of a failed `fetch` has a cause. */
function isDefect(error: unknown): boolean {
  return error instanceof TypeError && error.cause === undefined;
}

async function inTime<Result>(work: Promise<Result>, milliseconds: number): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const complain = () => reject(new Error(`no answer for ${milliseconds} ms`));
    timer = setTimeout(complain, milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
