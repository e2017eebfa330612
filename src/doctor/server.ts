import { Cluster, type Redis } from "ioredis";
import type { Exam } from "./exam.ts";
import { primariesOf } from "./scan.ts";

/** Share of maxmemory; above it there is little reserve. */
const highShare = 0.9;

/** Facts that are not faults. */
export type Notes = string[];

/** Checks that the servers' configuration and state lose no data. None of it can be repaired here. */
export async function checkServers(exam: Exam): Promise<Notes> {
  const { redis, config } = exam.ctx;
  const notes: Notes = [];
  for (const node of primariesOf(redis)) {
    const facts = await infoOf(node);
    const name = nameOf(node);
    for (const { kind, detail } of faultsOf(facts)) suspectServer(exam, node, kind, detail);
    notes.push(`${name}: ${notesOf(facts)}`);
    if (facts.get("cluster_enabled") !== "1") continue;
    if (config.redisUrls.length === 1)
      notes.push(
        `${name}: a node of a cluster; name several in REDIS_URL, should this one be away`,
      );
    if (!(redis instanceof Cluster))
      suspectServer(exam, node, "server-cluster", () => "a cluster, used like a single server");
    else await checkCoverage(exam, node);
  }
  return notes;
}

type Facts = Map<string, string>;

async function infoOf(node: Redis): Promise<Facts> {
  const text = await node.info();
  return new Map(
    text.split("\r\n").flatMap((line) => {
      const at = line.indexOf(":");
      return at > 0 ? [[line.slice(0, at), line.slice(at + 1)] as const] : [];
    }),
  );
}

type Fault = { kind: string; detail: (facts: Facts) => string | undefined };

function faultsOf(facts: Facts): Fault[] {
  return faults.filter(({ detail }) => detail(facts) !== undefined);
}

const faults: Fault[] = [
  {
    kind: "server-eviction",
    detail(facts) {
      const policy = facts.get("maxmemory_policy") ?? "noeviction";
      return policy === "noeviction"
        ? undefined
        : `maxmemory-policy is ${policy}: a full memory drops data; set noeviction`;
    },
  },
  {
    kind: "server-append-only-file",
    detail(facts) {
      const names = ["aof_last_write_status", "aof_last_bgrewrite_status"];
      const bad = names.filter((name) => (facts.get(name) ?? "ok") !== "ok");
      return facts.get("aof_enabled") === "1" && bad.length > 0
        ? `${bad.map((name) => `${name} is ${facts.get(name)}`).join(", ")}; see the log of Redis`
        : undefined;
    },
  },
  {
    kind: "server-memory",
    detail(facts) {
      const [used, most] = ["used_memory", "maxmemory"].map((name) => Number(facts.get(name)));
      if (!most || !used || used < highShare * most) return undefined;
      return `${Math.round((100 * used) / most)} % of its memory is used`;
    },
  },
  {
    kind: "server-role",
    detail: (facts) =>
      (facts.get("role") ?? "master") === "master" ? undefined : "is a replica: writes are refused",
  },
];

function notesOf(facts: Facts): string {
  const file =
    facts.get("aof_enabled") === "1"
      ? `append-only file, ${facts.get("aof_delayed_fsync") ?? "?"} late fsyncs since its start`
      : "no append-only file: a crash loses what came after the last snapshot";
  const most = Number(facts.get("maxmemory") ?? 0);
  const memory = `${facts.get("used_memory_human") ?? "?"} of ${most === 0 ? "unlimited" : facts.get("maxmemory_human")} memory`;
  return `Redis ${facts.get("redis_version") ?? "?"}, ${memory}, ${facts.get("connected_slaves") ?? "?"} replicas, ${file}`;
}

function suspectServer(exam: Exam, node: Redis, kind: string, detail: Fault["detail"]): void {
  exam.suspect({
    kind,
    key: nameOf(node),
    look: async () => detail(await infoOf(node)),
    repair: "",
  });
}

/** All slots are served. */
async function checkCoverage(exam: Exam, node: Redis): Promise<void> {
  const look = async () => {
    const info = String(await node.call("CLUSTER", "INFO"));
    const served = /cluster_slots_ok:(\d+)/.exec(info)?.[1];
    return info.includes("cluster_state:ok") && served === "16384"
      ? undefined
      : `${served ?? "?"} of 16384 slots are served`;
  };
  if ((await look()) !== undefined)
    exam.suspect({ kind: "server-slots", key: nameOf(node), look, repair: "" });
}

function nameOf({ options: { path, host, port } }: Redis): string {
  return path ?? `${host ?? "localhost"}:${port ?? 6379}`;
}
