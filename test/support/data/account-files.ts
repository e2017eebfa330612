import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { ZipFile } from "yazl";
import { exportLines } from "../../../src/domain/accounts/export.ts";
import {
  exportFormat,
  exportVersion,
  readArchive,
} from "../../../src/domain/accounts/read-archive.ts";
import type { ImportProgress } from "../../../src/domain/accounts/import-run.ts";
import { kinds } from "../../../src/domain/accounts/kinds.ts";
import {
  continueImport,
  previewImport as previewFile,
  steerImport,
} from "../../../src/domain/accounts/import.ts";
import { findImport, isUnderWay } from "../../../src/domain/accounts/import-store.ts";
import type { Ctx } from "../../../src/context.ts";
import type { UserId } from "../../../src/domain/ids.ts";
import { openZip, withSource } from "../../../src/domain/archives/zip.ts";
import { findUser, type User } from "../../../src/domain/users/store.ts";
import { keys } from "../../../src/redis/keys.ts";

export const siteUrl = "https://suzume.example";

/** All pieces of an export. */
export async function textOf(pieces: AsyncIterable<string>): Promise<string> {
  let text = "";
  for await (const piece of pieces) text += piece;
  return text;
}

/** The export file of a user. */
export async function exportFile(ctx: Ctx, id: UserId): Promise<Buffer> {
  const user = (await findUser(ctx, id)) as User;
  return Buffer.from(await textOf(exportLines(ctx, { user, site: siteUrl })));
}

type Name = keyof typeof kinds;

/** An export file with rows of these kinds, newest first. A row that is no object is malformed. */
export function exportFileWith(rows: Partial<Record<Name, readonly unknown[]>>): Buffer {
  const line = (kind: string, row: unknown) =>
    `${JSON.stringify({ kind, ...(typeof row === "object" ? row : { row }) })}\n`;
  const lines = Object.entries(rows).flatMap(([kind, some]) => some.map((row) => line(kind, row)));
  const head = line("export", { format: exportFormat, version: exportVersion });
  return Buffer.from([head, ...lines, line("end", {})].join(""));
}

/** The rows of an export by kind, without their kind. */
export function rowsIn(file: string | Buffer): Record<string, Record<string, unknown>[]> {
  const rows: Record<string, Record<string, unknown>[]> = {};
  for (const line of file.toString().trimEnd().split("\n")) {
    const { kind, ...row } = JSON.parse(line) as Record<string, unknown>;
    (rows[String(kind)] ??= []).push(row);
  }
  return rows;
}

/** Writes a file, as uploads are kept, while `work` runs. */
export async function onDisk<Result>(
  file: Buffer,
  work: (path: string) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), "suzume-test-"));
  try {
    await writeFile(join(folder, "file"), file);
    return await work(join(folder, "file"));
  } finally {
    await rm(folder, { recursive: true });
  }
}

export async function previewImport(ctx: Ctx, user: UserId, file: Buffer): Promise<void> {
  await onDisk(file, (path) => previewFile(ctx, user, path));
}

/** The names of the files in a ZIP, and the rows that an import makes of it. */
export async function contentsOf(ctx: Ctx, file: Buffer) {
  return await onDisk(file, (path) =>
    withSource(path, async (source) => {
      const [{ names }, { lines }] = [await openZip(source), await readArchive(ctx, source)];
      return { names, lines: [...lines] };
    }),
  );
}

/** Previews a file and starts its import, as its user does. */
export async function startImport(ctx: Ctx, user: UserId, file: Buffer): Promise<void> {
  await previewImport(ctx, user, file);
  const id = (await findImport(ctx, user))?.id ?? "";
  await steerImport(ctx, user, { id, step: "start" });
}

/** Imports a file as workers do, to its end. */
export async function importFile(ctx: Ctx, user: UserId, file: Buffer): Promise<ImportProgress> {
  await startImport(ctx, user, file);
  return await importAll(ctx, user);
}

/** The job that worked on an import has died, and the time of its claim is over. */
export async function lapseClaim(ctx: Ctx, user: UserId): Promise<void> {
  await ctx.redis.del(keys.importClaim(user));
}

/** Runs an import to its end, as workers do. */
export async function importAll(ctx: Ctx, user: UserId): Promise<ImportProgress> {
  for (;;) {
    await continueImport(ctx, user);
    const found = await findImport(ctx, user);
    if (found === undefined) throw new Error("there is no import");
    if (!isUnderWay(found)) return found.progress;
  }
}

/** A time some years ago. */
export function timeAt(seconds: number): string {
  return new Date(1_600_000_000_000 + seconds * 1000).toISOString();
}

/** Tweets as a file has them, newest first. */
export function fileTweets(...texts: string[]): { text: string; created_at: string }[] {
  return texts.map((text, nth) => ({ text, created_at: timeAt(texts.length - nth) }));
}

/** A ZIP archive of these files, stored as they are. */
export async function archiveOf(files: Record<string, Buffer>): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, bytes] of Object.entries(files))
    zip.addBuffer(bytes, name, { compress: false });
  zip.end();
  return await buffer(zip.outputStream);
}
