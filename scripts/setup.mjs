// What a fresh machine needs before Suzume can start: packages, a build and a Redis. Runs before
// `npm start`, `npm test` and their like (package.json); says nothing when there is nothing to do.
import path from "node:path";
import { fileURLToPath } from "node:url";

const OLDEST_NODE = [20, 19];
const root = path.join(path.dirname(fileURLToPath(import.meta.url)), "..");

// Heroku has done all of it while building.
if (!process.env.DYNO) {
  checkNode();
  await setUp().catch((error) => fail(error));
}

function checkNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_NODE;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return;
  process.stderr.write(
    `suzume: Node.js ${OLDEST_NODE.join(".")} or newer is needed, this is ${process.versions.node}.\n` +
      "Install a newer one (nvm install 24, brew install node, or your system's package).\n",
  );
  process.exit(1);
}

/** Imports late, since an old Node.js may not even understand what is imported. */
async function setUp() {
  const { installPackages, packagesAreMissing } = await import("./setup/packages.mjs");
  const { build, buildIsStale } = await import("./setup/build.mjs");
  const { provideRedis, redisIsMissing } = await import("./setup/redis.mjs");
  const { withLock } = await import("./setup/lock.mjs");
  const ofProject = [
    { isNeeded: packagesAreMissing, run: installPackages },
    { isNeeded: buildIsStale, run: build },
  ];
  const ofMachine = [{ isNeeded: redisIsMissing, run: provideRedis }];
  let somethingIsNeeded = false;
  for (const { isNeeded } of [...ofProject, ...ofMachine])
    somethingIsNeeded ||= await isNeeded(root);
  if (!somethingIsNeeded) return;
  await withLock(root, async () => {
    // Redis is fetched meanwhile, as it needs neither; the lock is held until all have ended.
    const ended = await Promise.allSettled([doNeeded(ofProject), doNeeded(ofMachine)]);
    for (const { reason } of ended) if (reason !== undefined) throw reason;
  });
}

/** Asks again: another set-up may have done it meanwhile. */
async function doNeeded(steps) {
  for (const { isNeeded, run } of steps) if (await isNeeded(root)) await run(root);
}

async function fail(error) {
  const { Problem } = await import("./setup/run.mjs");
  const remedy = `\nSee that ${root} is writable and the disk has space, then try again.`;
  process.stderr.write(`suzume: ${error.message}${error instanceof Problem ? "" : remedy}\n`);
  process.exitCode = 1;
}
