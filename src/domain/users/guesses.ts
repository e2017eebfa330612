import type { Ctx } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import type { UserId } from "../ids.ts";
import { sayRarely } from "../say-rarely.ts";
import { type Stamp, stampAt } from "../stamp.ts";

/** TTL of the count, from the last guess. */
const keptSeconds = 30 * 24 * 60 * 60;

/** Wrong passwords and codes that were typed to log in to an account, by its owner or by others. */
export interface Guesses {
  count: number;
  since: Stamp;
}

/** Runs in the background, so that a wrong password takes no longer than an unknown name. */
export function noteGuess(ctx: Ctx, user: UserId, what: "password" | "code" = "password"): void {
  ctx.log.warn({ user }, `wrong ${what}`);
  const key = keys.guesses(user);
  const noted = exec(ctx.redis, [
    ["hsetnx", key, "since", stampAt(ctx.now(), user)],
    ["hincrby", key, "count", 1],
    ["expire", key, keptSeconds],
  ]);
  noted.catch((error: unknown) => {
    sayRarely(ctx.log, "warn", { reason: String(error) }, "a guess was not noted");
  });
}

export async function findGuesses(ctx: Ctx, user: UserId): Promise<Guesses | undefined> {
  const [count, since] = await ctx.redis.hmget(keys.guesses(user), "count", "since");
  if (typeof count !== "string" || typeof since !== "string") return undefined;
  return { count: Number(count), since: Number(since) };
}
