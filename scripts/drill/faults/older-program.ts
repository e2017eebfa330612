import { execFile } from "node:child_process";
import { cp, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Lab } from "../lab/lab.ts";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../..", import.meta.url));

/** A built program of another version. */
export interface OlderProgram {
  folder: string;
  /** Which it is, in words. */
  version: string;
}

/**
 * The program of DRILL_OLDER (a commit or tag), else of the last release, else of the newest commit that is a day
 * older than this one. Without the history of the sources: this program once more, with other styles.
 */
export async function olderProgram(lab: Lab): Promise<OlderProgram> {
  const folder = join(lab.folder, "older");
  await mkdir(folder);
  const commit = await olderCommit();
  if (commit === undefined) return { folder, version: await copyOfThis(folder) };
  const archive = join(lab.folder, "older.tar");
  await git("archive", "--output", archive, commit);
  await run("tar", ["-xf", archive, "-C", folder]);
  await givePackages(folder);
  lab.say(`building ${commit}`);
  await run("npm", ["run", "build"], { cwd: folder });
  return { folder, version: await git("log", "-1", "--format=%h of %cs", commit) };
}

async function olderCommit(): Promise<string | undefined> {
  const named = process.env["DRILL_OLDER"];
  if (named !== undefined) return named;
  const release = await git("describe", "--tags", "--abbrev=0", "--match", "v*", "HEAD~").catch(
    () => undefined,
  );
  if (release !== undefined) return release;
  const now = Number(await git("log", "-1", "--format=%ct").catch(() => 0));
  const before = `--before=${now - 24 * 60 * 60}`;
  return (
    (await git("log", "-1", "--first-parent", before, "--format=%H").catch(() => "")) || undefined
  );
}

async function git(...args: string[]): Promise<string> {
  return (await run("git", args, { cwd: root })).stdout.trim();
}

/** These packages where they are those of the older program, too; else it installs its own. */
async function givePackages(folder: string): Promise<void> {
  const [mine, its] = await Promise.all(
    [root, folder].map((place) => readFile(join(place, "package-lock.json"), "utf8")),
  );
  if (mine === its) await symlink(join(root, "node_modules"), join(folder, "node_modules"));
  else await run("npm", ["ci", "--include=dev"], { cwd: folder });
}

/** Its addresses of styles and scripts are others, as those of another version are. */
async function copyOfThis(folder: string): Promise<string> {
  for (const name of ["dist", "views", "package.json"])
    await cp(join(root, name), join(folder, name), { recursive: true });
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));
  const manifest = join(folder, "dist", "assets.json");
  const addresses = JSON.parse(await readFile(manifest, "utf8")) as Record<string, string>;
  const moved = Object.entries(addresses).map(([name, address]) => [
    name,
    address.replace(/-[A-Z0-9]{8}(\.\w+)$/, "-0LDER000$1"),
  ]);
  await writeFile(manifest, JSON.stringify(Object.fromEntries(moved)));
  return "the same program with other addresses of styles, as there is no history here";
}
