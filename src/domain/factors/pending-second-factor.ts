import type { Ctx } from "../../context.ts";
import { JsonRecords } from "../../redis/json-records.ts";
import { keys, mostOf, ttlOf } from "../../redis/keys.ts";
import type { UserId } from "../ids.ts";
import { locateUserToken, newUserToken } from "../secrets.ts";
import type { VerifiedLogIn } from "../users/log-in.ts";

/** TTL of a log-in that waits for its second factor. */
export const secondFactorSeconds = ttlOf("pendingSecondFactors");

/** A log-in whose password was right, and which waits for its second factor. */
export interface PendingSecondFactor {
  logIn: VerifiedLogIn;
  /** Where the log-in leads. */
  next: string;
  digest: string;
}

interface Stored {
  /** See User.generation. */
  generation: string;
  next: string;
  /** Milliseconds. */
  until: number;
}

function logInsOf({ redis }: Ctx, user: UserId): JsonRecords<Stored> {
  return new JsonRecords(redis, keys.pendingSecondFactors(user));
}

/** A token for the second page of the log-in, and for nothing else. */
export async function awaitSecondFactor(
  ctx: Ctx,
  { user, generation }: VerifiedLogIn,
  next: string,
): Promise<string> {
  const { token, digest } = newUserToken(user);
  const now = ctx.now();
  const logIns = logInsOf(ctx, user);
  await logIns.write(
    digest,
    { generation, next, until: now + secondFactorSeconds * 1000 },
    secondFactorSeconds,
  );
  await logIns.trim(({ until }) => until, mostOf("pendingSecondFactors"), now);
  return token;
}

/** Undefined if the token is unknown, used or too old, or if all log-ins of the user were ended. */
export async function findSecondFactor(
  ctx: Ctx,
  token: string,
): Promise<PendingSecondFactor | undefined> {
  const location = locateUserToken(token);
  if (location === undefined) return undefined;
  const { user, digest } = location;
  const logIn = await logInsOf(ctx, user).find(digest);
  if (logIn === undefined || logIn.value.until <= ctx.now()) return undefined;
  const { generation, next } = logIn.value;
  return { logIn: { user, generation }, next, digest };
}

/** Uses it up. False if another request did so before, or if it was ended meanwhile. */
export async function useSecondFactor(
  ctx: Ctx,
  { logIn, digest }: Pick<PendingSecondFactor, "logIn" | "digest">,
): Promise<boolean> {
  return (await logInsOf(ctx, logIn.user).remove(digest)) === 1;
}
