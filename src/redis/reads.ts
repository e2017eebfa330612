import type { Command } from "./exec.ts";

/**
 * Commands and scripts that read one key, the first thing that they name, and tell of nothing but its content. Redis
 * tracks what is read in a script, too.
 */
export const readNames: ReadonlySet<string> = new Set(
  (
    "get exists strlen hget hmget hgetall hexists hlen zrange zscore zmscore zcard zcount zrank zrevrank " +
    "scard smembers sismember xrange xrevrange xlen readHome"
  ).split(" "),
);

/** The command that a method of the client stands for, if it only reads one key. */
export function readOf(method: string, args: unknown[]): Command | undefined {
  const [name, ...rest] = method === "call" ? args : [method, ...args];
  if (typeof name !== "string" || !readNames.has(name)) return undefined;
  // EXISTS may name several keys.
  if (rest.length === 0 || (name === "exists" && rest.length > 1)) return undefined;
  if (!rest.every((one) => typeof one === "string" || typeof one === "number")) return undefined;
  return [name, ...rest] as Command;
}
