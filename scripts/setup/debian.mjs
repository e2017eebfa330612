import * as fs from "node:fs";
import path from "node:path";
import { Problem, run, say, tail } from "./run.mjs";

/** Of the temporary folders; one that is found was left by an interrupted fetch. */
const PREFIX = "redis-fetch-";

/**
 * Unpacks Debian's Redis into CACHE/redis, without root and without installing anything. It lies
 * in a temporary folder until `check` (given the server's path, it answers what is wrong with it,
 * or undefined) accepts it, so an interrupted fetch leaves nothing half made. Answers what `check`
 * answered.
 */
export async function fetchRedis(cache, check) {
  fs.mkdirSync(cache, { recursive: true });
  for (const name of fs.readdirSync(cache).filter((entry) => entry.startsWith(PREFIX))) {
    fs.rmSync(path.join(cache, name), { recursive: true, force: true });
  }
  const folder = fs.mkdtempSync(path.join(cache, PREFIX));
  try {
    const tree = path.join(folder, "redis");
    for (const file of await downloadAll(folder)) await unpack(file, tree);
    fs.rmSync(path.join(tree, "usr", "share"), { recursive: true, force: true });
    makeCommands(tree);
    const reason = await check(path.join(tree, "bin", "redis-server"));
    if (reason === undefined) putInPlace(tree, path.join(cache, "redis"), folder);
    return reason;
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** redis-tools and, level by level, what it depends on and this machine lacks. */
async function downloadAll(folder) {
  await downloadTools(folder);
  const seen = new Set(["redis-tools"]);
  const files = debs(folder);
  for (let level = files; level.length > 0;) {
    const wanted = [];
    for (const file of level) {
      for (const choices of await dependencies(file)) {
        if (choices.some((name) => seen.has(name)) || (await anyInstalled(choices))) continue;
        seen.add(choices[0]);
        wanted.push(choices[0]);
      }
    }
    // What cannot be had (a virtual package, say) may not be needed: the check decides.
    for (const name of wanted) await run("apt-get", ["download", name], { cwd: folder });
    level = debs(folder).filter((file) => !files.includes(file));
    files.push(...level);
  }
  return files;
}

async function downloadTools(folder) {
  const download = () => run("apt-get", ["download", "redis-tools"], { cwd: folder });
  let result = await download();
  if (result.code !== 0 && process.getuid?.() === 0) {
    say("refreshing the package lists (apt-get update) …");
    await run("apt-get", ["update"]);
    result = await download();
  }
  if (result.code !== 0) {
    throw new Problem(
      `apt-get could not download redis-tools:\n${tail(result.output)}\n` +
        "Refresh the package lists (sudo apt-get update), see that the network is up and try\n" +
        "again; or install Redis (sudo apt-get install redis-server), or set REDIS_URL.",
    );
  }
}

function debs(folder) {
  return fs
    .readdirSync(folder)
    .filter((name) => name.endsWith(".deb"))
    .map((name) => path.join(folder, name));
}

/** The package's dependencies; each is a list of names of which any one will do. */
async function dependencies(file) {
  const lists = await Promise.all(
    ["Pre-Depends", "Depends"].map((field) => run("dpkg-deb", ["-f", file, field])),
  );
  return lists
    .flatMap(({ output }) => output.split(","))
    .map((clause) => clause.split("|").map((choice) => choice.trim().split(/[\s:(]/)[0]))
    .filter(([first]) => first !== "");
}

async function anyInstalled(names) {
  const { output } = await run("dpkg-query", ["-W", "-f", "${db:Status-Status}\\n", ...names]);
  return output.split("\n").includes("installed");
}

async function unpack(file, tree) {
  const { code, output } = await run("dpkg-deb", ["-x", file, tree]);
  if (code === 0) return;
  throw new Problem(
    `${path.basename(file)} could not be unpacked:\n${tail(output)}\n` +
      "See that the disk has space and try again.",
  );
}

/**
 * redis-check-rdb is the server's own binary, which looks at the name it was called by. The
 * commands find their libraries from where they lie, because the project may be moved.
 */
function makeCommands(tree) {
  const bin = path.join(tree, "usr", "bin");
  if (!fs.existsSync(path.join(bin, "redis-server"))) {
    fs.symlinkSync("redis-check-rdb", path.join(bin, "redis-server"));
  }
  const libraries = fs
    .readdirSync(tree, { recursive: true })
    .filter((name) => /\.so(\.|$)/.test(name))
    .map((name) => `$here/${path.dirname(name)}`);
  // The first is there even if nothing had to be fetched: an empty entry would mean "here".
  const searched = [...new Set(["$here/lib", ...libraries])].join(":");
  fs.mkdirSync(path.join(tree, "bin"));
  for (const name of ["redis-server", "redis-cli"]) {
    const script = `#!/bin/sh
here=$(CDPATH= cd -- "$(dirname -- "$0")/.." && pwd) || exit 1
LD_LIBRARY_PATH="${searched}\${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export LD_LIBRARY_PATH
exec "$here/usr/bin/${name}" "$@"
`;
    fs.writeFileSync(path.join(tree, "bin", name), script, { mode: 0o755 });
  }
}

function putInPlace(tree, target, folder) {
  if (fs.existsSync(target)) fs.renameSync(target, path.join(folder, "old"));
  fs.renameSync(tree, target);
}
