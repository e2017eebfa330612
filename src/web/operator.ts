import { createHash, timingSafeEqual } from "node:crypto";
import type { Request } from "express";
import type { Config } from "../config.ts";

/**
 * True for requests with METRICS_TOKEN. Without such a setting, true for this machine in development: in
 * production a request from this machine may be anyone's, passed on by a proxy.
 */
export function isOperator({ metricsToken, production }: Config, req: Request): boolean {
  if (metricsToken !== undefined) return isSame(req.get("authorization"), `Bearer ${metricsToken}`);
  const { headers, socket } = req;
  const passedOn = headers["x-forwarded-for"] !== undefined || headers["forwarded"] !== undefined;
  const isLocal = /^(::ffff:)?127\.|^::1$/.test(socket.remoteAddress ?? "");
  return !production && !passedOn && isLocal;
}

/** Takes the same time wherever the two differ. */
function isSame(given: string | undefined, wanted: string): boolean {
  return given !== undefined && timingSafeEqual(digest(given), digest(wanted));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
