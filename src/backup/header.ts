/** Version of the format of backup files: the second has files beside keys. */
export const formatVersion = 2;
/** Bytes of the header in the file: a line of JSON, filled up with spaces. */
export const headerBytes = 4096;

const format = "suzume-backup";

/** What stands at the beginning of a backup. */
export interface Header {
  /** Version of the program that made it. */
  program: string;
  madeAt: string;
  /** Version of the data; see src/migrations. */
  dataVersion: number;
  /** "snapshot": each server is as it was at one moment; "walk": key after key. */
  how: "snapshot" | "walk";
  /** Number of servers that were read, one after the other. */
  servers: number;
  /** How far the indexing of older tweets and people was, if it was under way; see search/index-older.ts. */
  unindexed?: string;
  /** Number of keys in all, and by the first word of their names. */
  keys: number;
  counts: Record<string, number>;
  /** Bytes of the body. */
  bytes: number;
  /** Digest of the rest of the header and of the body. */
  sha256: string;
}

/** Whether all of it is of one moment. */
export function isConsistent({ how, servers }: Pick<Header, "how" | "servers">): boolean {
  return how === "snapshot" && servers === 1;
}

export function writeHeader(header: Header): Buffer {
  const text = JSON.stringify({ format, formatVersion, ...header });
  const line = Buffer.alloc(headerBytes, " ");
  if (line.write(text) !== Buffer.byteLength(text)) throw new Error("the header is too long");
  line.write("\n", headerBytes - 1);
  return line;
}

/** Throws a text for the operator. */
export function readHeader(line: Buffer): Header {
  const fields = parse(line);
  if (fields["format"] !== format) throw new Error("is no backup of Suzume, or is damaged");
  const version = Number(fields["formatVersion"]);
  if (version > formatVersion)
    throw new Error(
      `has format ${version}, made by a newer Suzume; this one reads format ${formatVersion}`,
    );
  if (!(version >= 1)) throw new Error("is damaged");
  return fields as unknown as Header;
}

function parse(line: Buffer): Record<string, unknown> {
  try {
    return JSON.parse(line.toString()) as Record<string, unknown>;
  } catch {
    return {};
  }
}

/** What the digest covers of a header. */
export function digested(header: Omit<Header, "sha256">): string {
  const { program, madeAt, dataVersion, how, servers, keys, counts, bytes, unindexed } = header;
  const always = [program, madeAt, dataVersion, how, servers, keys, counts, bytes];
  return JSON.stringify(unindexed === undefined ? always : [...always, unindexed]);
}
