import type { Request, Response } from "express";
import type { Ctx } from "../../context.ts";
import { Invalid, TooMany } from "../../domain/errors.ts";
import { addressOf } from "./address.ts";
import { limiterFor, takePoints } from "./limits.ts";

/**
 * Counts `work`, which creates an account, if it succeeds. Sign-ups by form and by app together, counted
 * before any password is hashed. Throws TooMany.
 */
export function limitSignUps(ctx: Ctx) {
  const forms = limiterFor(ctx, "signUpForms", "address");
  const signUps = limiterFor(ctx, "signUps", "address", true);
  return async <Result>(req: Request, res: Response, work: () => Promise<Result>) => {
    const from = addressOf(req);
    for (const [act, limiter] of [
      ["signUpForms", forms],
      ["signUps", signUps],
    ] as const) {
      const counters = { act, isNew: false, each: [[limiter, from] as [typeof limiter, string]] };
      const refusal = await takePoints(ctx, res, counters, 1);
      if (refusal !== undefined) throw refusal;
    }
    try {
      return await work();
    } catch (error) {
      const neverSeen = error instanceof TooMany;
      if (neverSeen) await forms.giveBack(from);
      if (neverSeen || error instanceof Invalid) await signUps.giveBack(from);
      throw error;
    }
  };
}
