import type { Request } from "express";
import type { Ctx } from "../../context.ts";
import { Invalid, type Problem } from "../../domain/errors.ts";
import type { UserId } from "../../domain/ids.ts";
import { type Limiter, limiterOf, tooMany } from "../../domain/limiter.ts";
import { type Guess, guessLimits } from "../../domain/limits.ts";
import type { Asker } from "../../domain/concurrency-limit.ts";
import { foldName } from "../../domain/users/names.ts";
import { addressOf } from "./address.ts";
import type { KnownBrowsers } from "./known-browser.ts";

export interface LogInLimits {
  /**
   * Counts `work` if it throws Invalid for a wrong password. Other errors, such as outages, do not
   * count. Throws TooMany after too many wrong passwords. Attempts under way in this process count
   * until they end, so parallel guesses have no advantage.
   */
  attempt<Result>(
    req: Request,
    name: string,
    work: (asker: Asker) => Promise<Result>,
  ): Promise<Result>;
}

/**
 * A browser that has logged in to the account before has a counter of its own. So attackers elsewhere
 * cannot lock the owner out, no matter how many addresses they use.
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
      // The address comes first: once it is refused, further names create no keys.
      const counted: Counted[] =
        known === undefined
          ? [
              [address, from],
              [nameFromAddress, `${from}:${folded}`],
              [name, folded],
            ]
          : [[browser, known]];
      // Known browsers do not wait behind a flood of other requests.
      const asker = { lane: known === undefined ? "check" : "known", from };
      return attempt(counted, () => work(asker));
    },
  };
}

export interface PasswordLimits {
  /** Like LogInLimits, counted by user instead of address: the session may be stolen. */
  attempt<Result>(user: UserId, work: () => Promise<Result>): Promise<Result>;
}

/** Limits for forms in which signed-in users type their password or a code: to change it or to confirm an act. */
export function limitPasswordGuesses(ctx: Ctx): PasswordLimits {
  const signedIn = limiterFor(ctx, "signedIn");
  return { attempt: (user, work) => attempt([[signedIn, user]], work) };
}

type Counted = [limiter: Limiter, who: string];

function limiterFor(ctx: Ctx, guess: Guess): Limiter {
  const name = `guesses:${guess}`;
  const row = guessLimits[guess];
  return limiterOf(ctx, name, { ...row, points: ctx.config.limits[name] ?? row.points });
}

/** Number of attempts by limiter and key whose result is not known yet. */
const underWay = new WeakMap<Limiter, Map<string, number>>();

async function attempt<Result>(counted: Counted[], work: () => Promise<Result>): Promise<Result> {
  const looks = await Promise.all(counted.map(([limiter, who]) => limiter.look(who)));
  const spent = looks.find(({ left }, nth) => left <= open(counted[nth] as Counted));
  if (spent !== undefined) throw tooMany("passwords", spent);
  note(counted, 1);
  try {
    return await work();
  } catch (error) {
    if (isWrongGuess(error)) await count(counted);
    throw error;
  } finally {
    note(counted, -1);
  }
}

/** Counts one after the other: once the address is refused, further names create no keys. */
async function count(counted: Counted[]): Promise<void> {
  for (const [limiter, who] of counted) {
    const taken = await limiter.take(who);
    if (taken.refused) throw tooMany("passwords", taken);
  }
}

function open([limiter, who]: Counted): number {
  return underWay.get(limiter)?.get(who) ?? 0;
}

function note(counted: Counted[], more: 1 | -1): void {
  for (const [limiter, who] of counted) {
    const attempts = underWay.get(limiter) ?? new Map<string, number>();
    underWay.set(limiter, attempts);
    const now = (attempts.get(who) ?? 0) + more;
    if (now > 0) attempts.set(who, now);
    else attempts.delete(who);
  }
}

const wrongGuesses = new Set<Problem>(["credentials.wrong", "password.wrong", "factor.wrong"]);

/** A new password that is too short, for example, says nothing about the current one. */
function isWrongGuess(error: unknown): boolean {
  if (!(error instanceof Invalid)) return false;
  const problems = Object.values(error.problems);
  return problems.some((problem) => wrongGuesses.has(problem));
}
