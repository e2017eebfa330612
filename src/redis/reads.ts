import type { Command } from "./exec.ts";

/**
 * Commands and scripts that read one key, their first argument, and return only its content. Redis tracks
 * reads in scripts, too.
 */
export const readNames: ReadonlySet<string> = new Set(
  (
    "get exists strlen hget hmget hgetall hexists hlen zrange zscore zmscore zcard zcount zrank zrevrank " +
    "scard smembers sismember xrange xrevrange xlen readHome"
  ).split(" "),
);

/** The command behind a method of the client, if it only reads one key. */
export function readOf(method: string, args: unknown[]): Command | undefined {
  const [name, ...rest] = method === "call" ? args : [method, ...args];
  if (typeof name !== "string" || !readNames.has(name)) return undefined;
  // EXISTS may have several keys.
  if (rest.length === 0 || (name === "exists" && rest.length > 1)) return undefined;
  if (!rest.every((one) => typeof one === "string" || typeof one === "number")) return undefined;
  return [name, ...rest] as Command;
}
