import type { AuthenticationResponseJSON } from "@simplewebauthn/server";
import type { Ctx } from "../../context.ts";
import { ttlOf } from "../../redis/keys.ts";
import { Invalid } from "../errors.ts";
import type { Seal } from "../secrets.ts";
import { checkOwnPassword, noteGuess, type VerifiedLogIn, verifyLogIn } from "../users/log-in.ts";
import { findUser, type User } from "../users/store.ts";
import { userTokens } from "../users/user-tokens.ts";
import { useRecoveryCode, checkTotp } from "./codes.ts";
import { checkPasskey, type RelyingParty } from "./ceremonies.ts";

/** TTL of a log-in that waits for its second factor. */
export const secondFactorSeconds = ttlOf("pendingSecondFactors");

/** `generation`: see User.generation. `next`: where the log-in leads. */
const logIns = userTokens<{ generation: string; next: string }>(
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
  { logIn, digest }: { logIn: VerifiedLogIn; digest: string },
): Promise<boolean> {
  return (await logIns.of(ctx, logIn.user).remove(digest)) === 1;
}

/** At a log-in: a code of the authenticator app or a recovery code, accepted once. Throws Invalid beside `code`. */
export async function checkSecondFactor(ctx: Ctx, seal: Seal, user: User, code: string) {
  if (await checkTotp(ctx, seal, user.id, code)) return;
  if (await useRecoveryCode(ctx, user, code))
    return ctx.log.info({ user: user.id }, "recovery code used");
  noteGuess(ctx, user.id, "code");
  throw new Invalid({ code: "factor.wrong" });
}

/** Answer of a passkey to this site. */
interface PasskeyProof {
  passkey: AuthenticationResponseJSON;
  site: RelyingParty;
}

/** What a signed-in user shows to confirm an act. */
export type Proof = { password: string } | { code: string } | PasskeyProof;

/** A passkey is enough: it checked who holds it. Throws Invalid; only a right one tells that its user is suspended. */
export async function logInByPasskey(ctx: Ctx, proof: PasskeyProof): Promise<VerifiedLogIn> {
  const id = await checkPasskey(ctx, proof.site, proof.passkey, { act: "log-in" });
  const user = await findUser(ctx, id);
  if (user === undefined) throw new Invalid({ form: "passkey.wrong" });
  return await verifyLogIn(ctx, user, user.generation);
}

/** Throws Invalid, beside the field of the proof, unless it is the user's. */
export async function proveAgain(ctx: Ctx, seal: Seal, user: User, proof: Proof): Promise<void> {
  if ("passkey" in proof)
    await checkPasskey(ctx, proof.site, proof.passkey, { act: "confirm", user: user.id });
  else if ("code" in proof) {
    if (!(await checkTotp(ctx, seal, user.id, proof.code)))
      throw new Invalid({ confirm_code: "factor.wrong" });
  } else if ((await checkOwnPassword(ctx, user, proof.password)) === undefined)
    throw new Invalid({ confirm_password: "password.wrong" });
}
