import type { RequestHandler } from "express";
import type { Ctx } from "../../context.ts";

/**
 * Who has got the answer to a request that may write sees, on the next page of this process, what it
 * wrote: whatever is read after the head of the answer waits until Redis has told of it.
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
