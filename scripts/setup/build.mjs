import * as fs from "node:fs";
import path from "node:path";
import { Problem, run, say, tail } from "./run.mjs";

/** Holds the newest modification time among the sources that dist was built from. */
const STAMP = path.join("dist", ".built");

export function buildIsStale(root) {
  const stamp = path.join(root, STAMP);
  return !fs.existsSync(stamp) || fs.readFileSync(stamp, "utf8") !== newestSource(root);
}

export async function build(root) {
  say("building (npm run build) …");
  // Taken first: what is edited during the build is built next time.
  const newest = newestSource(root);
  const { code, output } = await run("npm", ["run", "build"], { cwd: root });
  if (code !== 0) {
    throw new Problem(
      `the build failed:\n${tail(output, 40)}\n` +
        "Correct what it names, then try again. If it is the compiler that is missing:\n" +
        "  npm ci --include=dev",
    );
  }
  fs.mkdirSync(path.join(root, "dist"), { recursive: true });
  fs.writeFileSync(path.join(root, STAMP), newest);
}

/** Folders count too: deleting or renaming a file changes theirs. */
function newestSource(root) {
  const files = [
    ...["src", "public", "views", "scripts/assets"].flatMap((name) => allIn(path.join(root, name))),
    ...fs
      .readdirSync(root)
      .filter((name) => /^(tsconfig.*|package)\.json$/.test(name))
      .map((name) => path.join(root, name)),
  ];
  const times = files.map((file) => fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  return String(Math.max(...times));
}

function allIn(folder) {
  if (!fs.existsSync(folder)) return [];
  const names = fs.readdirSync(folder, { recursive: true });
  return [folder, ...names.map((name) => path.join(folder, name))];
}
