import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { startCluster } from "../../test/support/world/cluster.ts";
import { freePlaces } from "../../test/support/world/cluster-node.ts";
import { addressOf, Browser } from "./lab/browser.ts";
import type { Drill } from "./lab/drill.ts";
import type { Lab } from "./lab/lab.ts";
import { RedisServer } from "./lab/redis.ts";
import { untilServing } from "./lab/site.ts";

/** A process starts while its Redis is not as it should be, and waits until it is put right. */
export const wrongStart: Drill = {
  number: 17,
  name: "wrong-start",
  fault:
    "Redis down at boot, wrong password, evicting policy, wrong address, several servers that are no cluster, a cluster down",
  passes: "waits, says which address it cannot reach, /healthz answers, recovers",
  seconds: 150,
  run,
};

const allowed = 5000;
/** So long a process looks for its Redis before it goes on without, see src/boot.ts; with room. */
const bootMilliseconds = 7000;

interface Fault {
  name: string;
  url: string;
  /** What the log must say, such as the address. */
  says: string;
  /** Done once the site answers at all. */
  onceServed?: () => Promise<unknown>;
  /** Undefined where only REDIS_URL is wrong. */
  mend?: () => Promise<unknown>;
}

async function run(lab: Lab): Promise<void> {
  for (const fault of [down, wrongPassword, evicting, wrongAddress, noCluster, clusterDown])
    await startWith(lab, await fault(lab));
}

async function startWith(lab: Lab, { name, url, says, onceServed, mend }: Fault): Promise<void> {
  const { report } = lab;
  lab.say(name);
  const web = await lab.launchWeb(url);
  const browser = new Browser(web, report.answers, addressOf(1));
  try {
    await untilServing(web, "/healthz");
    await onceServed?.();
    for (const path of ["/", "/explore", "/login"]) {
      const { status } = await browser.get(path);
      report.expect(status === 503 || status === 200, `${name}: a page`, `${path}: ${status}`);
    }
    const { status } = await fetch(`${web.url}/readyz`);
    report.expect(status === 503, `${name}: it says that it is ready`, String(status));
    report.expect((await web.process.log()).includes(says), `${name}: the log lacks "${says}"`);
    if (mend === undefined) return;
    await mend();
    report.recovered(await untilServing(web), allowed);
    report.expect((await browser.get("/explore")).status === 200, `${name}: no page afterwards`);
  } catch (error) {
    report.problem(name, String(error).slice(0, 300));
  } finally {
    browser.close();
    await web.process.kill();
  }
}

async function down(lab: Lab): Promise<Fault> {
  const redis = await RedisServer.at(join(lab.folder, "late"), {});
  const says = `127.0.0.1:${redis.port}`;
  return { name: "Redis is down", url: redis.url, says, mend: () => redis.start() };
}

async function wrongPassword(lab: Lab): Promise<Fault> {
  const redis = await lab.redis();
  await redis.ask((one) => one.config("SET", "requirepass", "right"));
  const mend = async () => {
    const one = new Redis({ port: redis.port, password: "right" });
    await one.config("SET", "requirepass", "wrong");
    one.disconnect();
  };
  const url = `redis://:wrong@127.0.0.1:${redis.port}`;
  return { name: "wrong password", url, says: `127.0.0.1:${redis.port}`, mend };
}

/** Comes up after the site has gone on without: one that finds such a Redis at its start ends and says so. */
async function evicting(lab: Lab): Promise<Fault> {
  const flags = ["--maxmemory-policy", "allkeys-lru"];
  const redis = await RedisServer.at(join(lab.folder, "evicting"), { flags });
  const mend = () => redis.ask((one) => one.config("SET", "maxmemory-policy", "noeviction"));
  const onceServed = async () => {
    await sleep(bootMilliseconds);
    await redis.start();
    await sleep(3000);
  };
  return { name: "evicting policy", url: redis.url, says: "allkeys-lru", onceServed, mend };
}

async function wrongAddress(): Promise<Fault> {
  const url = "redis://no-such-host.invalid:6379";
  return { name: "wrong address", url, says: "no-such-host.invalid" };
}

/** Several addresses mean a cluster, and these are two servers that know nothing of each other. */
async function noCluster(lab: Lab): Promise<Fault> {
  const urls = [(await lab.redis()).url, (await lab.redis()).url];
  return { name: "two servers, no cluster", url: urls.join(","), says: "no cluster" };
}

/** Nothing at any of the addresses of a cluster, which comes up later. */
async function clusterDown(lab: Lab): Promise<Fault> {
  const places = await freePlaces(3);
  const urls = places.map(({ port }) => `redis://127.0.0.1:${port}`);
  const says = `127.0.0.1:${places[0]?.port ?? ""}`;
  const mend = async () => {
    const cluster = await startCluster({ places });
    lab.onClose(() => cluster.stop());
  };
  return { name: "the cluster is down", url: urls.join(","), says, mend };
}
