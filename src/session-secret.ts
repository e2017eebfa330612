import { randomBytes } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Config } from "./config.ts";

const fileOf = (config: Config) => join(config.dataDir, "session-secret");

/** The configured secret, or the stored one; undefined if there is none. */
export async function knownSecret(config: Config): Promise<string | undefined> {
  if (config.sessionSecret !== undefined) return config.sessionSecret;
  const text = await readFile(fileOf(config), "utf8").catch(() => "");
  return text.trim() === "" ? undefined : text.trim();
}

/** Stores a backup's secret in place of the one there, or beside it if the settings have another. Returns its file. */
export async function storeSecret(config: Config, secret: string): Promise<string> {
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  const file = fileOf(config) + (config.sessionSecret === undefined ? "" : "-of-backup");
  await writeFile(`${file}.new`, secret, { mode: 0o600 });
  await rename(`${file}.new`, file);
  return file;
}

/** The configured secret, or one that is made once and stored beside the data. */
export async function sessionSecret(config: Config): Promise<string> {
  if (config.sessionSecret !== undefined) return config.sessionSecret;
  const file = fileOf(config);
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  const fresh = randomBytes(32).toString("hex");
  // "wx" fails if the file exists: of two processes that start at once, one wins.
  await writeFile(file, fresh, { mode: 0o600, flag: "wx" }).catch(() => {});
  return await readSecret(file);
}

/** Another process may be about to write it. */
async function readSecret(file: string): Promise<string> {
  for (let tries = 0; tries < 20; tries += 1) {
    const secret = (await readFile(file, "utf8")).trim();
    if (secret.length >= 32) return secret;
    await sleep(50);
  }
  throw new Error(`${file} holds no secret: delete it, and a new one is made.`);
}
