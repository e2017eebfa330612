import type { Request, RequestHandler } from "express";
import type { Ctx } from "../../context.ts";
import { plainAddress } from "../../domain/block-match.ts";
import { isIpBlocked } from "../../domain/blocks.ts";
import { Forbidden } from "../../domain/errors.ts";
import { sayRarely } from "../../domain/say-rarely.ts";
import { noteUntrustedProxy } from "../../domain/site/numbers.ts";
import { networkOf } from "../../domain/users/payer.ts";

/** Milliseconds between two warnings about a proxy. */
const warningPause = 10 * 60_000;

/** Says in the log and on /admin that a proxy came without TRUST_PROXY: its clients share the limits of one address. */
export function noticeProxy(ctx: Ctx): RequestHandler {
  const { config, log } = ctx;
  if (config.trustProxy !== undefined) return (_req, _res, next) => next();
  return (req, _res, next) => {
    if (req.headers["x-forwarded-for"] !== undefined) {
      const from = req.socket.remoteAddress;
      sayRarely(log, "error", { from }, untrusted, { pause: warningPause });
      // No request waits for it.
      noteUntrustedProxy(ctx).catch((error: unknown) => {
        log.error({ err: error }, "the proxy was not noted");
      });
    }
    next();
  };
}

const untrusted =
  "X-Forwarded-For arrives, but TRUST_PROXY is not set: all clients of this proxy count as one address. " +
  "Set TRUST_PROXY to the number of proxies, or to false if there is none (see .env.example)";

/** Key under which a client without an account is counted. IPv6 by /64, the network of one subscriber. */
export function addressOf(req: Pick<Request, "ip">): string {
  return networksOf(req).at(-1) ?? "unknown";
}

/**
 * The networks of a client, the widest first. One IPv6 client may have a whole /56 or /48, so places that all share
 * are counted by these too.
 */
export function networksOf(req: Pick<Request, "ip">): string[] {
  const { ip, family } = plainAddress(req.ip ?? "unknown");
  if (family !== 6) return [ip];
  const [a = "0", b = "0", c = "0", d = "0"] = groupsOf(ip);
  const upperByte = d.padStart(4, "0").slice(0, 2);
  return [`${a}:${b}:${c}::/48`, `${a}:${b}:${c}:${upperByte}00::/56`, `${a}:${b}:${c}:${d}::/64`];
}

/** The widest of them as it is counted: a digest, see networkOf. */
export function widestNetworkOf(ctx: Ctx, req: Pick<Request, "ip">): string {
  return networkOf(ctx, networksOf(req)[0] ?? "unknown");
}

/** The eight groups of an IPv6 address. */
function groupsOf(ip: string): string[] {
  const halves = ip.toLowerCase().split("::");
  const [left = [], right = []] = halves.map((half) => half.split(":").filter(Boolean));
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => "0");
  return [...left, ...zeros, ...right];
}

/** Asked by the proxy and by monitoring, whose address may be that of many users. */
const machines = /^\/(healthz|readyz|metrics)$/;

/** Finds out whether the admins have shut out the address. Kept pages come later; the time to answer counts from here. */
export function noteIpBlock(ctx: Ctx): RequestHandler {
  return async (req, res, next) => {
    res.locals.began = performance.now();
    const isBlocked = !machines.test(req.path) && isIpBlocked(ctx, req.ip ?? "");
    // Most of the time it is known, and nothing waits.
    if (isBlocked instanceof Promise ? await isBlocked : isBlocked) res.locals.isIpBlocked = true;
    next();
  };
}

/** Throws Forbidden for such an address. */
export const refuseIpBlock: RequestHandler = (_req, res, next) => {
  next(res.locals.isIpBlocked === true ? new Forbidden("this address is blocked") : undefined);
};
