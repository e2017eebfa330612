import type { Request } from "express";
import type { Ctx } from "../../context.ts";
import { Invalid } from "../../domain/errors.ts";
import type { UserId } from "../../domain/ids.ts";
import { type Limiter, limiterOf, tooMany } from "../../domain/limiter.ts";
import { type Guess, guessLimits } from "../../domain/limits.ts";
import { foldName } from "../../domain/users/names.ts";
import { addressOf } from "./address.ts";
import type { KnownBrowsers } from "./known-browser.ts";

export interface LogInLimits {
  /**
   * Counts `work` if it throws Invalid for a wrong password; throws TooMany once there were too many of these. What is
   * under way counts until it turns out well, so that guesses gain nothing by coming all at once.
   */
  attempt<Result>(req: Request, name: string, work: () => Promise<Result>): Promise<Result>;
}

/**
 * A browser that has signed in to the account before is counted by itself: whoever guesses from elsewhere,
 * from however many addresses, does not keep its owner out.
 */
export function limitLogIns(ctx: Ctx, browsers: KnownBrowsers): LogInLimits {
  const [browser, address, nameFromAddress, name] = (
    ["browser", "address", "nameFromAddress", "name"] as const
  ).map((guess) => limiterFor(ctx, guess)) as [Limiter, Limiter, Limiter, Limiter];
  return {
    attempt: (req, typed, work) => {
      const folded = foldName(typed.trim().slice(0, 64));
      const known = browsers.known(req, folded);
      const from = addressOf(req);
      // The address comes first: once that is refused, no further name leaves a key.
      const counted: Counted[] =
        known === undefined
          ? [
              [address, from],
              [nameFromAddress, `${from}:${folded}`],
              [name, folded],
            ]
          : [[browser, known]];
      return attempt(counted, work);
    },
  };
}

export interface PasswordLimits {
  /** As with log-ins, for somebody who is signed in, wherever they are: their session may be stolen. */
  attempt<Result>(user: UserId, work: () => Promise<Result>): Promise<Result>;
}

/** Where somebody signed in has to type their password: to change it, to delete the account. */
export function limitPasswordGuesses(ctx: Ctx): PasswordLimits {
  const signedIn = limiterFor(ctx, "signedIn");
  return { attempt: (user, work) => attempt([[signedIn, user]], work) };
}

type Counted = [limiter: Limiter, who: string];

function limiterFor(ctx: Ctx, guess: Guess): Limiter {
  const name = `guesses:${guess}`;
  const row = guessLimits[guess];
  return limiterOf(ctx, name, { ...row, points: ctx.config.limits[name] ?? row.points }, true);
}

async function attempt<Result>(counted: Counted[], work: () => Promise<Result>): Promise<Result> {
  for (const [limiter, who] of counted) {
    const taken = await limiter.take(who);
    if (taken.refused) throw tooMany("passwords", taken);
  }
  let failed = false;
  try {
    return await work();
  } catch (error) {
    failed = isWrongGuess(error);
    throw error;
  } finally {
    if (!failed) await Promise.all(counted.map(([limiter, who]) => limiter.giveBack(who)));
  }
}

/** A new password that is too short, say, tells nothing about the present one. */
function isWrongGuess(error: unknown): boolean {
  if (!(error instanceof Invalid)) return false;
  const problems = new Set(Object.values(error.problems));
  return problems.has("credentials.wrong") || problems.has("password.wrong");
}
