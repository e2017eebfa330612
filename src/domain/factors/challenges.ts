import type { Ctx } from "../../context.ts";
import { keys, ttlOf } from "../../redis/keys.ts";
import { digestOf, newSecret } from "../apps/store.ts";
import type { UserId } from "../ids.ts";

/** TTL of a challenge. */
export const challengeSeconds = ttlOf("challenge");

/** What a passkey is asked for: to log in, to confirm an act of a user, or to be added to an account. */
export type Purpose = { act: "log-in" } | { act: "confirm" | "add"; user: UserId };

/** Random text that a passkey signs. It is good for one answer, for one purpose. */
export async function giveChallenge(ctx: Ctx, purpose: Purpose): Promise<string> {
  const challenge = newSecret();
  const key = keys.challenge(digestOf(challenge));
  await ctx.redis.set(key, formatPurpose(purpose), "EX", challengeSeconds);
  return challenge;
}

/** True once, if the challenge was given for this purpose. Uses it up in any case. */
export async function takeChallenge(
  ctx: Ctx,
  challenge: string,
  purpose: Purpose,
): Promise<boolean> {
  const given = await ctx.redis.getdel(keys.challenge(digestOf(challenge)));
  return given === formatPurpose(purpose);
}

function formatPurpose(purpose: Purpose): string {
  return purpose.act === "log-in" ? purpose.act : `${purpose.act} ${purpose.user}`;
}
