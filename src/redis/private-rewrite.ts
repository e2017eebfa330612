import * as fs from "node:fs/promises";
import path from "node:path";
import type { Redis } from "ioredis";

const hour = 60 * 60 * 1000;
const day = 24 * hour;

/**
 * Deleted data stays in the append-only file until it is rewritten; Redis does so by itself only when the file
 * has doubled. So it is rewritten on each day with writes. Looks at once and every hour, until the returned
 * function is called.
 */
export function rewriteDaily(lease: Redis, dir: string): () => void {
  const look = () => void rewriteIfDue(lease, dir).catch(() => {});
  look();
  const timer = setInterval(look, hour).unref();
  return () => clearInterval(timer);
}

async function rewriteIfDue(lease: Redis, dir: string): Promise<void> {
  const rewrittenAt = await lastRewrite(path.join(dir, "appendonlydir"));
  if (rewrittenAt === undefined || Date.now() - rewrittenAt < day) return;
  const info = await lease.info("persistence");
  const size = (field: string) => Number(new RegExp(`^${field}:(\\d+)`, "m").exec(info)?.[1]);
  if (size("aof_current_size") > size("aof_base_size")) await lease.bgrewriteaof();
}

/** Milliseconds since 1970 of the newest base file; each rewrite makes one. */
async function lastRewrite(folder: string): Promise<number | undefined> {
  const bases = (await fs.readdir(folder)).filter((name) => name.includes(".base."));
  const stats = await Promise.all(bases.map((name) => fs.stat(path.join(folder, name))));
  return stats.length === 0 ? undefined : Math.max(...stats.map(({ mtimeMs }) => mtimeMs));
}
