import type { RequestHandler } from "express";
import type { Ctx } from "../../context.ts";
import { isShutOut } from "../../domain/blocks.ts";
import { Forbidden } from "../../domain/errors.ts";

/** Finds out whether the admins have shut out the address. Use before kept pages are sent. */
export function noteShutOut(ctx: Ctx): RequestHandler {
  return async (req, res, next) => {
    if (await isShutOut(ctx, req.ip ?? "")) res.locals.isShutOut = true;
    next();
  };
}

/** Throws Forbidden for such an address. Use after the health pages: a proxy's own address may ask for these. */
export const refuseShutOut: RequestHandler = (_req, res, next) => {
  next(res.locals.isShutOut === true ? new Forbidden("this address is blocked") : undefined);
};
