import type { Request, RequestHandler } from "express";
import type { Ctx } from "../../context.ts";
import { sayRarely } from "../../domain/say-rarely.ts";
import { recorded } from "../../domain/scope.ts";
import { discardOutput, type OutagePages } from "./error-503.ts";
import { readUnreadTexts } from "../request/refusals.ts";

/** How often a request that waits for its turn is checked. */
const waitMilliseconds = 100;
/** Min time for Redis after such a turn, and after a body that has arrived late. */
const afterwards = 1000;

/**
 * Answers 503 if there is no answer by the deadline; later output of the handler is discarded. Time in
 * which the client is still sending does not count, nor does time after the head of the answer: a
 * client may read slowly. Work in `pauseDeadline` (domain/deadline.ts) may finish, and Redis gets one more
 * second after it. Work for a client that has left has the same deadline.
 */
export function answerInTime(ctx: Ctx, outages: OutagePages): RequestHandler {
  return (req, res, next) => {
    const writes = req.method !== "GET" && req.method !== "HEAD";
    const deadline = { passed: false, writes, pauses: 0, pauseEnded: -Infinity };
    const begin = (milliseconds = ctx.config.answerMilliseconds) =>
      setTimeout(pass, Math.max(milliseconds, 0));
    let arrivedAt = -Infinity;
    // A body that is there when it is read was not late: this process was.
    const noteArrival = () =>
      req.complete || req.once("end", () => (arrivedAt = performance.now()));
    if (writes) req.once("resume", noteArrival);
    const pass = () => {
      if (res.headersSent) return;
      const owed = Math.max(deadline.pauseEnded, arrivedAt) + afterwards - performance.now();
      if (deadline.pauses > 0 || owed > 1) {
        timer = begin(Math.max(owed, waitMilliseconds));
        return;
      }
      if (!hasLeft && isArriving(req)) {
        req.once("close", () => {
          timer = begin();
        });
        return;
      }
      deadline.passed = true;
      if (hasLeft) return;
      sayRarely(ctx.log, "warn", { request: req.id, reason: "deadline" }, "unavailable");
      const texts = readUnreadTexts(req, res);
      if (texts === undefined) answer();
      else void texts.then(answer);
    };
    const answer = () => {
      if (res.headersSent) return;
      outages.answer(req, res);
      discardOutput(res);
    };
    const { recording, began = performance.now() } = res.locals;
    let timer = begin(ctx.config.answerMilliseconds - (performance.now() - began));
    let hasLeft = false;
    res.once("close", () => {
      hasLeft = true;
      if (res.headersSent) clearTimeout(timer);
    });
    recorded(recording, next, deadline, req.id as string);
  };
}

/** True while the body is being read and is not complete. */
function isArriving(req: Request): boolean {
  return !req.complete && req.listenerCount("data") + req.listenerCount("readable") > 0;
}
