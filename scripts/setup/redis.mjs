import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { parseEnv } from "node:util";
import { fetchRedis } from "./debian.mjs";
import { Problem, run, say } from "./run.mjs";

/** Redis 7 is the first whose scripts know the flags that Suzume's scripts declare. */
const OLDEST_MAJOR = 7;

const REMEDIES = `Any one of these helps:
  Debian, Ubuntu   sudo apt-get update && sudo apt-get install redis-server
  macOS            brew install redis
  Fedora, RHEL     sudo dnf install valkey
  Docker           docker run -d -p 127.0.0.1:6379:6379 -v suzume:/data redis:8 redis-server --appendonly yes
                   and REDIS_URL=redis://127.0.0.1:6379
  or set REDIS_URL to a Redis that runs elsewhere`;

/** Whether `npm start` would find no Redis to run on. */
export async function redisIsMissing(root) {
  return !hasRedisUrl(root) && (await findServer(root)).command === undefined;
}

export async function provideRedis(root) {
  const { tooOld } = await findServer(root);
  for (const { command, version } of tooOld) {
    say(`${command} on PATH is version ${version}, too old: Suzume needs ${OLDEST_MAJOR} or newer`);
  }
  if (!(await canFetch())) {
    throw new Problem(`no Redis ${OLDEST_MAJOR} or newer was found. ${REMEDIES}`);
  }
  say("fetching a Redis for this project into .cache/redis (apt-get download) …");
  const reason = await fetchRedis(path.join(root, ".cache"), async (command) => {
    const version = await serverVersion(command);
    if (version.major >= OLDEST_MAJOR) return undefined;
    return version.text === undefined
      ? `the fetched Redis does not run:\n  ${version.output.trim()}`
      : `this system's packages hold Redis ${version.text}, which is too old`;
  });
  if (reason !== undefined) throw new Problem(`${reason}\n${REMEDIES}`);
}

/** Set by hand or in .env, the way the site reads it: what is in the environment wins. */
function hasRedisUrl(root) {
  const file = path.join(root, ".env");
  const env = { ...(existsSync(file) ? parseEnv(readFileSync(file, "utf8")) : {}), ...process.env };
  return Boolean(env.REDIS_URL?.trim() || env.REDIS_TLS_URL?.trim());
}

async function findServer(root) {
  const tooOld = [];
  const fetched = path.join(root, ".cache", "redis", "bin", "redis-server");
  for (const command of ["valkey-server", "redis-server", fetched]) {
    const { major, text } = await serverVersion(command);
    if (major >= OLDEST_MAJOR) return { command, tooOld };
    if (text !== undefined && command !== fetched) tooOld.push({ command, version: text });
  }
  return { command: undefined, tooOld };
}

/** `text` is undefined and `major` 0 where the command is missing, broken or no Redis. */
async function serverVersion(command) {
  const { code, output } = await run(command, ["--version"]);
  const text = code === 0 ? /\bv=(\d+(?:\.\d+)*)/.exec(output)?.[1] : undefined;
  return { text, major: Number.parseInt(text ?? "0", 10), output };
}

async function canFetch() {
  const tools = await Promise.all([
    run("apt-get", ["--version"]),
    run("dpkg-deb", ["--version"]),
    run("dpkg-query", ["--version"]),
  ]);
  return tools.every(({ code }) => code === 0);
}
