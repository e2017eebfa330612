import type { RequestHandler } from "express";
import type { Ctx } from "../../context.ts";
import { isShutOut } from "../../domain/blocks.ts";
import { Forbidden } from "../../domain/errors.ts";

/** Asked by the proxy and by monitoring, whose address may be that of many users. */
const machines = /^\/(healthz|readyz|metrics)$/;

/** Finds out whether the admins have shut out the address. Use before kept pages are sent. */
export function noteShutOut(ctx: Ctx): RequestHandler {
  return async (req, res, next) => {
    if (!machines.test(req.path) && (await isShutOut(ctx, req.ip ?? "")))
      res.locals.isShutOut = true;
    next();
  };
}

/** Throws Forbidden for such an address. */
export const refuseShutOut: RequestHandler = (_req, res, next) => {
  next(res.locals.isShutOut === true ? new Forbidden("this address is blocked") : undefined);
};
