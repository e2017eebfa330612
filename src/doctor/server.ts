import { Cluster, type Redis } from "ioredis";
import {
  addressOf,
  infoOf,
  isCompactServer,
  notCompact,
  primariesOf,
  settingOf,
} from "../redis/servers.ts";
import { eachTarget, type Run, type Target } from "./run.ts";

/** Share of maxmemory; above it there is little reserve. */
const highShare = 0.9;
/** Share of maxmemory that the notes on read keys may take. */
const highTracking = 0.1;
/** Bytes of tracking for a key that several processes have read; measured: 99 with one, 167 with four. */
const trackedKeyBytes = 130;
/** Share of tracking-table-max-keys; a full table loses a key for each new one, so it stays a little below. */
const fullTracking = 0.95;

type State = Awaited<ReturnType<typeof readServer>>;

/** The configuration and state of the servers lose no data. None of it can be repaired here. */
const serverCheck = eachTarget({
  read: readServer,
  faults: {
    "server-eviction"({ info: { maxmemory_policy: policy = "noeviction" } }) {
      if (policy === "noeviction") return undefined;
      return `maxmemory-policy is ${policy}: a full memory drops data; set noeviction`;
    },
    "server-append-only-file"({ info }) {
      const names = ["aof_last_write_status", "aof_last_bgrewrite_status"];
      const bad = names.filter((name) => (info[name] ?? "ok") !== "ok");
      if (info["aof_enabled"] !== "1" || bad.length === 0) return undefined;
      return `${bad.map((name) => `${name} is ${info[name]}`).join(", ")}; see the log of Redis`;
    },
    "server-memory"({ info }) {
      const [used, most] = [Number(info["used_memory"]), Number(info["maxmemory"])];
      return (
        most > 0 &&
        used >= highShare * most &&
        `${Math.round((100 * used) / most)} % of its memory is used`
      );
    },
    "server-tracking": ({ info }) =>
      isTrackingLarge(info) &&
      `${Math.round((trackedKeyBytes * trackedKeys(info)) / 1e6)} MB note which keys were read; set a lower tracking-table-max-keys`,
    "server-role": ({ info: { role = "master" } }) =>
      role !== "master" && "is a replica: writes are refused",
    "server-cluster": ({ cluster, isPart }) =>
      cluster !== undefined && !isPart && "a cluster, used like a single server",
    "server-slots"({ cluster, isPart }) {
      const served = /cluster_slots_ok:(\d+)/.exec(cluster ?? "")?.[1];
      const isWell = cluster?.includes("cluster_state:ok") === true && served === "16384";
      return isPart && !isWell && `${served ?? "?"} of 16384 slots are served`;
    },
  },
});

/** Checks the primaries; returns facts about them that are not wrong. */
export async function checkServers(run: Run): Promise<string[]> {
  const servers = primariesOf(run.ctx.redis).map((node) => ({ key: addressOf(node), node }));
  const states = await run.look(serverCheck, servers);
  return states.flatMap((state) => notesOf(run, state).map((note) => `${state.key}: ${note}`));
}

async function readServer({ ctx }: Run, server: Target & { node: Redis }) {
  const { node } = server;
  const info = await infoOf(node);
  const isInCluster = info["cluster_enabled"] === "1";
  return {
    ...server,
    info,
    /** CLUSTER INFO; undefined for a single server. */
    cluster: isInCluster ? String(await node.call("CLUSTER", "INFO")) : undefined,
    /** Whether the doctor uses it as a part of a cluster. */
    isPart: ctx.redis instanceof Cluster,
    isCompact: await isCompactServer(node),
    /** Max read keys that it notes, 0 for any number; undefined if the provider hides it. */
    maxTracked: await settingOf(node, "tracking-table-max-keys"),
  };
}

function notesOf({ ctx }: Run, { info, cluster, isCompact, maxTracked }: State): string[] {
  const file =
    info["aof_enabled"] === "1"
      ? `append-only file, ${info["aof_delayed_fsync"] ?? "?"} late fsyncs since its start`
      : "no append-only file: a crash loses what came after the last snapshot";
  const most = Number(info["maxmemory"] ?? 0) === 0 ? "unlimited" : info["maxmemory_human"];
  const memory = `${info["used_memory_human"] ?? "?"} of ${most} memory`;
  const replicas = `${info["connected_slaves"] ?? "?"} replicas`;
  const notes = [`Redis ${info["redis_version"] ?? "?"}, ${memory}, ${replicas}, ${file}`];
  if (isCompact === false) notes.push(notCompact);
  // A table that is large for the memory is a finding, which says the opposite.
  if (isTrackingFull(info, maxTracked) && !isTrackingLarge(info))
    notes.push(
      `the table of read keys is full (${trackedKeys(info)} of ${maxTracked}): for each new key web processes ` +
        `forget another, and pages read more; raise tracking-table-max-keys (${trackedKeyBytes} bytes a key)`,
    );
  if (cluster !== undefined && ctx.config.redisUrls.length === 1)
    notes.push("a node of a cluster; name several in REDIS_URL, should this one be away");
  return notes;
}

function isTrackingFull(info: State["info"], most = 0): boolean {
  return most > 0 && trackedKeys(info) >= fullTracking * most;
}

function isTrackingLarge(info: State["info"]): boolean {
  const most = Number(info["maxmemory"]);
  return most > 0 && trackedKeyBytes * trackedKeys(info) > highTracking * most;
}

function trackedKeys(info: State["info"]): number {
  return Number(info["tracking_total_keys"] ?? 0);
}
