import type { AuthenticationResponseJSON } from "@simplewebauthn/server";
import type { Ctx } from "../../context.ts";
import { Invalid } from "../errors.ts";
import type { Seal } from "../secrets.ts";
import { type VerifiedLogIn, verifyLogIn, checkOwnPassword } from "../users/log-in.ts";
import { findUser, type User } from "../users/store.ts";
import { checkPasskey, type RelyingParty } from "./ceremonies.ts";
import { checkTotp } from "./totp.ts";

/** Answer of a passkey to this site. */
interface PasskeyProof {
  passkey: AuthenticationResponseJSON;
  site: RelyingParty;
}

/** What a signed-in user shows to confirm an act. */
export type Proof = { password: string } | { code: string } | PasskeyProof;

/**
 * Logs in with a passkey alone: it is something that the user has, and it checked who holds it. Throws Invalid.
 * Only a right passkey tells that a user is suspended.
 */
export async function logInByPasskey(ctx: Ctx, proof: PasskeyProof): Promise<VerifiedLogIn> {
  const id = await checkPasskey(ctx, proof.site, proof.passkey, { act: "log-in" });
  const user = await findUser(ctx, id);
  if (user === undefined) throw new Invalid({ form: "passkey.wrong" });
  return await verifyLogIn(ctx, user, user.generation);
}

/** Throws Invalid, beside the field of the proof, unless it is the user's. */
export async function proveAgain(ctx: Ctx, seal: Seal, user: User, proof: Proof): Promise<void> {
  if ("passkey" in proof) {
    await checkPasskey(ctx, proof.site, proof.passkey, { act: "confirm", user: user.id });
    return;
  }
  if ("code" in proof) {
    if (!(await checkTotp(ctx, seal, user.id, proof.code)))
      throw new Invalid({ confirm_code: "factor.wrong" });
    return;
  }
  if ((await checkOwnPassword(ctx, user, proof.password)) === undefined)
    throw new Invalid({ confirm_password: "password.wrong" });
}
