import type { Request, RequestHandler } from "express";
import type { Ctx } from "../../context.ts";
import { under } from "../../domain/deadline.ts";
import { sayRarely } from "../../domain/say-rarely.ts";
import { mute, type Outages } from "../outages.ts";
import { makingOf } from "./kept-pages.ts";

/** How often a request that waits for its turn is looked at. */
const waitMilliseconds = 100;
/** What Redis gets at least once such a turn is over. */
const afterwards = 1000;

/**
 * Answers that the site is unavailable where nothing has been answered by the deadline, whatever the
 * handler waits for; what it says later is said to nobody. Time in which the client is still sending
 * does not count, nor does what comes after the head of the answer, which the client may read slowly. Work that
 * is apart (domain/deadline.ts) comes to its end, and Redis gets a second after it.
 */
export function answerInTime(ctx: Ctx, outages: Outages): RequestHandler {
  return (req, res, next) => {
    const writes = req.method !== "GET" && req.method !== "HEAD";
    const deadline = { passed: false, writes, apart: 0, apartEnded: -Infinity };
    const begin = (milliseconds = ctx.config.answerMilliseconds) => setTimeout(pass, milliseconds);
    const pass = () => {
      if (res.headersSent || res.closed) return;
      const owed = deadline.apartEnded + afterwards - performance.now();
      if (deadline.apart > 0 || owed > 1) {
        timer = begin(Math.max(owed, waitMilliseconds));
        return;
      }
      if (isArriving(req)) {
        req.once("close", () => {
          timer = begin();
        });
        return;
      }
      deadline.passed = true;
      sayRarely(ctx.log, "warn", { request: req.id, reason: "deadline" }, "unavailable");
      outages.answer(req, res);
      mute(res);
    };
    const { recording, began = performance.now() } = makingOf(res) ?? {};
    let timer = begin(ctx.config.answerMilliseconds - (performance.now() - began));
    res.once("close", () => clearTimeout(timer));
    under(deadline, recording, next);
  };
}

/** Somebody reads the body, and the rest of it has not come. */
function isArriving(req: Request): boolean {
  return !req.complete && req.listenerCount("data") + req.listenerCount("readable") > 0;
}
