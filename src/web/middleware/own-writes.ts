import type { RequestHandler } from "express";
import type { Ctx } from "../../context.ts";

/**
 * Read your own writes: after a client has the answer to a write, its next page from this process shows
 * the result. Reads that start after the head of that answer wait until Redis has sent its
 * invalidations.
 */
export function showOwnWrites({ memory }: Ctx): RequestHandler {
  return (req, res, next) => {
    if (req.method !== "GET" && req.method !== "HEAD") {
      const writeHead = res.writeHead.bind(res) as (...args: unknown[]) => typeof res;
      res.writeHead = (...args: unknown[]) => {
        memory.settle();
        return writeHead(...args);
      };
    }
    next();
  };
}
