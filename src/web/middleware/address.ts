import { isIPv6 } from "node:net";
import type { Request } from "express";

/** Key under which a client without an account is counted. IPv6 by /64, the network of one subscriber. */
export function addressOf(req: Pick<Request, "ip">): string {
  const ip = req.ip ?? "unknown";
  if (!isIPv6(ip)) return ip;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip);
  return mapped?.[1] ?? networkOf(ip);
}

function networkOf(ip: string): string {
  const [head = "", tail] = ip.toLowerCase().split("%")[0]?.split("::") ?? [];
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => "0");
  const groups = tail === undefined ? left : [...left, ...zeros, ...right];
  return `${groups.slice(0, 4).join(":")}::/64`;
}
