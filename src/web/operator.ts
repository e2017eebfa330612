import { createHash, timingSafeEqual } from "node:crypto";
import type { Request } from "express";
import type { Config } from "../config.ts";

/**
 * True for requests with METRICS_TOKEN. Without that setting, true for this machine in development
 * only: in production a proxy may forward any client's request from this machine.
 */
export function isOperator({ metricsToken, production }: Config, req: Request): boolean {
  if (metricsToken !== undefined)
    return isEqual(req.get("authorization"), `Bearer ${metricsToken}`);
  const { headers, socket } = req;
  const passedOn = headers["x-forwarded-for"] !== undefined || headers["forwarded"] !== undefined;
  const isLocal = /^(::ffff:)?127\.|^::1$/.test(socket.remoteAddress ?? "");
  return !production && !passedOn && isLocal;
}

/** Constant time: does not depend on where the two differ. */
function isEqual(given: string | undefined, wanted: string): boolean {
  return given !== undefined && timingSafeEqual(digest(given), digest(wanted));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
