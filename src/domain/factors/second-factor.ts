import type { Ctx } from "../../context.ts";
import { ttlOf } from "../../redis/keys.ts";
import { Invalid } from "../errors.ts";
import type { Seal } from "../secrets.ts";
import { noteGuess, type VerifiedLogIn } from "../users/log-in.ts";
import type { User } from "../users/store.ts";
import { UserTokens } from "../users/user-tokens.ts";
import { useRecoveryCode } from "./recovery-codes.ts";
import { checkTotp } from "./totp.ts";

/** TTL of a log-in that waits for its second factor. */
export const secondFactorSeconds = ttlOf("pendingSecondFactors");

/** A log-in whose password was right, and which waits for its second factor. `next`: where it leads. */
export type PendingSecondFactor = NonNullable<Awaited<ReturnType<typeof findSecondFactor>>>;

/** `generation`: see User.generation. */
const logIns = new UserTokens<{ generation: string; next: string }>(
  "pendingSecondFactors",
  async (ctx) => ctx.now(),
);

/** A token for the second page of the log-in, and for nothing else. */
export async function awaitSecondFactor(
  ctx: Ctx,
  { user, generation }: VerifiedLogIn,
  next: string,
): Promise<string> {
  return await logIns.issue(ctx, user, { generation, next });
}

/** Undefined if the token is unknown, used or too old, or if all log-ins of the user were ended. */
export async function findSecondFactor(ctx: Ctx, token: string) {
  const pending = await logIns.find(ctx, token);
  if (pending === undefined) return undefined;
  const { user, field: digest, value } = pending;
  return { logIn: { user, generation: value.generation }, next: value.next, digest };
}

/** Uses it up. False if another request did so before, or if it was ended meanwhile. */
export async function useSecondFactor(
  ctx: Ctx,
  { logIn, digest }: Pick<PendingSecondFactor, "logIn" | "digest">,
): Promise<boolean> {
  return (await logIns.of(ctx, logIn.user).remove(digest)) === 1;
}

/**
 * The second factor at a log-in: a code of the authenticator app or a recovery code, each accepted once. Throws
 * Invalid beside `code`.
 */
export async function checkSecondFactor(ctx: Ctx, seal: Seal, user: User, code: string) {
  if (await checkTotp(ctx, seal, user.id, code)) return;
  if (await useRecoveryCode(ctx, user, code)) {
    ctx.log.info({ user: user.id }, "recovery code used");
    return;
  }
  noteGuess(ctx, user.id, "code");
  throw new Invalid({ code: "factor.wrong" });
}
