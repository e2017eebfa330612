import type { Ctx } from "../../context.ts";
import { Invalid } from "../errors.ts";
import { userId } from "../ids.ts";
import { type Decision, recordEntry } from "../moderation/audit.ts";
import { checkComment } from "../moderation/report.ts";
import { personSubject } from "../moderation/subject.ts";
import { isAdmin } from "../users/roles.ts";
import { findUser, findUserByName, type User, toName } from "../users/store.ts";
import { findUsersByAddress } from "./mail-address.ts";
import { promiseResetMail } from "./mails.ts";
import { useCodeForReset } from "./recovery-codes.ts";
import { makeResetLink, promptLinkSeconds } from "./reset-links.ts";

/** In the place of a user who does not exist. No user has this id. */
const noUser = { id: userId("999999999999999"), generation: "" };

/**
 * The path of a link to set a new password, for a name and one of its recovery codes, which is used up; see useCodeForReset. Throws
 * Invalid, with the same error for a wrong name, a wrong code and a used one.
 */
export async function rescueByCode(
  ctx: Ctx,
  { name, code }: { name: string; code: string },
): Promise<string> {
  const found = await findUserByName(ctx, toName(name));
  // As many commands as for a name that has a user.
  const user = found ?? (await findUser(ctx, noUser.id));
  const isRight = await useCodeForReset(ctx, user ?? noUser, code);
  if (user === undefined || !isRight) throw new Invalid({ form: "code.wrong" });
  ctx.log.info({ user: user.id }, "recovery code used");
  return await makeResetLink(ctx, user, { seconds: promptLinkSeconds });
}

/**
 * The job for a user who typed a name or an address: a mail to each account that has confirmed an address. It
 * runs after the answer, so that neither answer nor time tells whether there is such an account.
 */
export async function rescueByMail(
  ctx: Ctx,
  { account, from }: { account: string; from: string },
): Promise<void> {
  if (toName(account).includes("@")) {
    for (const user of await findUsersByAddress(ctx, account))
      await promiseResetMail(ctx, user, from);
  } else {
    const user = await findUserByName(ctx, toName(account));
    if (user !== undefined) await promiseResetMail(ctx, user.id, from);
  }
}

/**
 * The path of a link that an admin hands to the user. Written into the audit log first. An admin's own link
 * comes from the shell: no admin can take the account of another. Passkeys and authenticator app stay, unless
 * `removesFactors`: then the link removes them. Throws Invalid.
 */
export async function rescueByAdmin(
  ctx: Ctx,
  { removesFactors, ...decision }: Decision & { removesFactors: boolean },
  user: User,
): Promise<string> {
  if (isAdmin(ctx, user)) throw new Invalid({ name: "reset.admin" });
  const verb = removesFactors ? "resetFactors" : "reset";
  const note = checkComment(decision.note, "note");
  await recordEntry(ctx, { ...decision, note, verb, subject: personSubject(user.id) });
  return await makeResetLink(ctx, user, { removesFactors });
}
