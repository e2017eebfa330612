import type { Readable } from "node:stream";

/** Keeps files that never change: pictures. A name is never used for other bytes. */
export interface Storage {
  /** Writes a whole file or nothing. May run twice. */
  put(name: string, bytes: Buffer, type: string): Promise<void>;
  /** The same for a file that is read within minutes: a machine without power may lose it, or a part of it. */
  putBriefly(name: string, bytes: Buffer): Promise<void>;
  find(name: string): Promise<StoredFile | undefined>;
  /** May run twice. */
  remove(name: string): Promise<void>;
  /** What the disk has left; Infinity for a bucket. */
  freeBytes(): Promise<number>;
  /** Writes a small file, as a trial. Rejects if files cannot be kept now. */
  check(): Promise<void>;
  /** Takes a file out of sight for the operator, who can put it back by hand. May run twice. */
  setAside(name: string): Promise<void>;
  /** Deletes the files that were set aside before this time. */
  deleteSetAside(before: number): Promise<void>;
  /** All files of the site, in any order; not those that were set aside. */
  list(): AsyncIterable<ListedFile>;
}

export interface StoredFile {
  /** In bytes. */
  size: number;
  /** All bytes, or those from `start` to `end`, which is included. */
  read(range?: { start: number; end: number }): Promise<Readable>;
}

export interface ListedFile {
  name: string;
  bytes: number;
  /** Milliseconds since 1970. */
  writtenAt: number;
}
