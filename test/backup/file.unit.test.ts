import {
  chmod,
  mkdtemp,
  readdir,
  readFile as read,
  rm,
  stat,
  writeFile as write,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Entry } from "../../src/backup/bytes.ts";
import { headerBytes } from "../../src/backup/header.ts";
import { readFile } from "../../src/backup/read-file.ts";
import { writeFile } from "../../src/backup/write-file.ts";

let file: string;
beforeEach(async () => {
  file = join(await mkdtemp(join(tmpdir(), "suzume-test-")), "site.backup");
});
afterEach(async () => {
  await rm(dirname(file), { recursive: true, force: true });
});

const about = {
  program: "0.1.0",
  madeAt: "2026-11-22T12:00:00.000Z",
  dataVersion: 7,
  how: "snapshot",
  servers: 1,
} as const;

const some: Entry[] = [
  { key: Buffer.from("sparrow:1"), expiresAt: 0, value: Buffer.from("one") },
  { key: Buffer.from("sparrow:雀"), expiresAt: 1_800_000_000_000, value: Buffer.alloc(0) },
  {
    key: Buffer.from("crow:1"),
    expiresAt: 0,
    value: Buffer.from(Array.from({ length: 70_000 }, (_, nth) => (nth * nth) % 251)),
  },
];

async function* each(entries: Entry[]): AsyncGenerator<Entry> {
  yield* entries;
}

async function* failing(): AsyncGenerator<Entry> {
  yield* some;
  throw new Error("Redis went away");
}

async function make(entries = some, more: { secret?: string } = { secret: "the secret" }) {
  return await writeFile(file, about, { secret: more.secret, entries: each(entries) });
}

describe("a backup file", () => {
  it("a backup file returns what was written into it", async () => {
    const header = await make();
    const backup = await readFile(file);
    expect(backup.header).toMatchObject(header);
    expect(header).toMatchObject({ ...about, keys: 3, counts: { sparrow: 2, crow: 1 } });
    expect(backup.secret).toBe("the secret");
    for (let twice = 0; twice < 2; twice += 1) {
      const entries: Entry[] = [];
      for await (const entry of backup.entries()) entries.push(entry);
      expect(entries).toEqual(some);
    }
  });

  it("a backup file may have no secret and no keys", async () => {
    await make([], {});
    const backup = await readFile(file);
    expect(backup.secret).toBeUndefined();
    expect(await backup.entries().next()).toMatchObject({ done: true });
  });

  it("a backup file says in its first line what it is", async () => {
    await make();
    const [line = ""] = (await read(file, "latin1")).split("\n");
    expect(line).toHaveLength(headerBytes - 1);
    expect(JSON.parse(line)).toMatchObject({ format: "suzume-backup", formatVersion: 2, keys: 3 });
    expect(line).not.toContain("the secret");
  });

  it("a backup file is readable by its owner only and replaces no other file", async () => {
    await write(`${file}.part`, "left over");
    await chmod(`${file}.part`, 0o644);
    await make();
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await expect(make()).rejects.toThrow("exists: choose another name");
  });

  it("a backup file gets its name only when it is complete", async () => {
    const attempt = writeFile(file, about, { secret: "", entries: failing() });
    await expect(attempt).rejects.toThrow("Redis went away");
    expect(await readdir(join(file, ".."))).toEqual([]);
  });

  it("a backup file that is cut anywhere is refused", async () => {
    await make();
    const whole = await read(file);
    const { length: size } = whole;
    for (const length of [0, 1, headerBytes - 1, headerBytes, headerBytes + 10, size - 1]) {
      await write(file, whole.subarray(0, length));
      await expect(readFile(file)).rejects.toThrow(/site\.backup is (no|cut)/);
    }
  });

  it("a backup file with a wrong or an additional byte anywhere is refused", async () => {
    await make();
    const whole = await read(file);
    const { length: used } = JSON.stringify(JSON.parse(whole.subarray(0, headerBytes).toString()));
    for (let nth = 0; nth < 300; nth += 1) {
      const damaged = Buffer.from(whole);
      const at =
        nth % 2 === 0 ? headerBytes + ((nth * 7919) % (whole.length - headerBytes)) : nth % used;
      damaged[at] = (damaged[at] ?? 0) ^ (1 << (nth % 8));
      await write(file, damaged);
      await expect(readFile(file)).rejects.toThrow("site.backup");
    }
    await write(file, Buffer.concat([whole, Buffer.from("x")]));
    await expect(readFile(file)).rejects.toThrow("is damaged");
    await write(file, whole);
    expect((await readFile(file)).header.keys).toBe(3);
  });

  it("a file that is no backup, or of a newer format, is refused", async () => {
    await write(file, "x".repeat(10_000));
    await expect(readFile(file)).rejects.toThrow("site.backup is no backup of Suzume");
    await write(file, JSON.stringify({ format: "suzume-backup", formatVersion: 3 }).padEnd(5000));
    await expect(readFile(file)).rejects.toThrow("has format 3, made by a newer Suzume");
    await expect(readFile(join(file, "nowhere"))).rejects.toThrow("cannot be read");
  });
});
