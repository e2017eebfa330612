import type { RequestHandler } from "express";
import type { Ctx } from "../../context.ts";
import { isIpBlocked } from "../../domain/blocks.ts";
import { Forbidden } from "../../domain/errors.ts";

/** Asked by the proxy and by monitoring, whose address may be that of many users. */
const machines = /^\/(healthz|readyz|metrics)$/;

/** Finds out whether the admins have shut out the address. Use before kept pages are sent. */
export function noteIpBlock(ctx: Ctx): RequestHandler {
  return async (req, res, next) => {
    if (!machines.test(req.path) && (await isIpBlocked(ctx, req.ip ?? "")))
      res.locals.isIpBlocked = true;
    next();
  };
}

/** Throws Forbidden for such an address. */
export const refuseIpBlock: RequestHandler = (_req, res, next) => {
  next(res.locals.isIpBlocked === true ? new Forbidden("this address is blocked") : undefined);
};
