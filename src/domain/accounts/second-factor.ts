import type { Ctx } from "../../context.ts";
import { Invalid } from "../errors.ts";
import { checkTotp } from "../factors/totp.ts";
import type { Seal } from "../seal.ts";
import { noteGuess } from "../users/log-in.ts";
import type { User } from "../users/store.ts";
import { useRecoveryCode } from "./recovery-codes.ts";

/**
 * The second factor at a log-in: a code of the authenticator app or a recovery code, each accepted once. Throws
 * Invalid beside `code`.
 */
export async function checkSecondFactor(
  ctx: Ctx,
  seal: Seal,
  user: User,
  code: string,
): Promise<void> {
  if (await checkTotp(ctx, seal, user.id, code)) return;
  if (await useRecoveryCode(ctx, user, code)) {
    ctx.log.info({ user: user.id }, "recovery code used");
    return;
  }
  noteGuess(ctx, user.id, "code");
  throw new Invalid({ code: "factor.wrong" });
}
