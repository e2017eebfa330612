import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { Invalid, NotFound } from "../errors.ts";
import { removeAllPasskeys } from "../factors/passkeys.ts";
import { useCodeForReset, turnOffTotp } from "../factors/codes.ts";
import { userId } from "../ids.ts";
import { type Decision, recordEntry, personSubject } from "../moderation/audit.ts";
import { checkComment } from "../moderation/report.ts";
import { digestOf, locateUserToken } from "../secrets.ts";
import { findCredentials } from "../users/log-in.ts";
import { checkPassword, hashPassword, passwordProblem } from "../users/passwords.ts";
import { isAdmin } from "../users/roles.ts";
import { findUser, findUserByName, readUser, toName, type User } from "../users/store.ts";
import { userTokens } from "../users/user-tokens.ts";
import { commitPassword, endEarlierAccess } from "./change-password.ts";
import {
  digestOfAddress,
  findAddress,
  findUsersByAddress,
  promiseNotice,
  promiseResetMail,
} from "./mail.ts";

/** TTL of a link that its user opens at once. */
export const promptLinkSeconds = 15 * 60;
/** Milliseconds in which a form may be sent again that set the password and then failed. */
const repeatMilliseconds = 60_000;

interface StoredLink {
  /** Of the user, see User.generation: a new password ends all links. */
  generation: string;
  /** When its form last set a password, or was about to; in milliseconds. */
  usedAt?: number;
  /** Whether its use also removes passkeys, the authenticator app and recovery codes. */
  removesFactors?: boolean;
  /** The admin who made it; undefined if no admin did, and in links of an earlier version. */
  by?: Maker;
  /** Digest of the address to which it was mailed: it ends with that address. */
  mail?: string;
}

/** An admin, in the generation in which the link was made. */
type Maker = Pick<User, "id" | "generation">;

const links = userTokens<StoredLink>("resetLinks");

export interface LinkOptions extends Omit<StoredLink, "generation" | "usedAt"> {
  /** TTL of the link; a day without it. */
  seconds?: number;
}

/**
 * A one-time link, good for a day, that leads to a form for a new password. Returns its path, which is shown
 * once; only a digest is stored.
 */
export async function makeResetLink(
  ctx: Ctx,
  { id, generation }: Pick<User, "id" | "generation">,
  { seconds, ...options }: LinkOptions = {},
): Promise<string> {
  const token = await links.issue(ctx, id, { generation, ...options }, seconds);
  return `/reset/${token}`;
}

/** The generation that a use of the link makes: so a form that is sent again finds its own work. */
function generationBy(token: string): string {
  return digestOf(`generation by ${token}`);
}

/** The user of a link that is still good, and whether it removes the factors. Throws NotFound. */
export async function getResetLink(ctx: Ctx, token: string) {
  const { user, stored } = await openLink(ctx, token);
  return { user, removesFactors: stored.removesFactors === true };
}

/**
 * `isRepeated`: its form has set the password already, less than a minute ago, and the rest may be missing. `mail`: the
 * address of a link that was mailed.
 */
async function openLink(ctx: Ctx, token: string) {
  const link = await links.find(ctx, token);
  const user = link && (await readUser(ctx, link.user));
  if (link === undefined || user === undefined) throw new NotFound("reset link");
  const { value: stored, now } = link;
  const { generation, usedAt = 0 } = stored;
  const isRepeated = user.generation === generationBy(token) && now - usedAt < repeatMilliseconds;
  const mail = stored.mail && (await findAddress(ctx, user.id))?.address;
  const isValid =
    user.generation === generation &&
    stored.mail === (mail && digestOfAddress(mail)) &&
    (await mayStillRescue(ctx, stored.by, user));
  if (!isRepeated && !isValid) throw new NotFound("reset link");
  // That its form is about to set a password. Only if it is still there: an ended link stays ended.
  const noteUse = () => links.of(ctx, user.id).replace(link, { ...stored, usedAt: now });
  return { user, stored, mail, isRepeated, noteUse };
}

/** Whether the maker of a link is an admin, and has the same password as then, and its user is no admin. */
async function mayStillRescue(ctx: Ctx, maker: Maker | undefined, user: User): Promise<boolean> {
  if (maker === undefined) return true;
  const admin = await readUser(ctx, maker.id);
  return admin?.generation === maker.generation && isAdmin(ctx, admin) && !isAdmin(ctx, user);
}

/**
 * Sets a new password, and ends all earlier access and all links. The password and the generation change with
 * one command, so only one use of a link succeeds; the same form, sent again within a minute, does the rest. A refused
 * password leaves the link as it is. Returns the user, in the generation of the new password. Throws NotFound, Invalid.
 */
export async function useResetLink(ctx: Ctx, token: string, next: string): Promise<User> {
  const { id, name } = (await openLink(ctx, token)).user;
  const problem = passwordProblem(next, name);
  if (problem !== undefined) throw new Invalid({ new_password: problem });
  const hash = await hashPassword(next, ctx.config.bcryptCost, id);
  // Opened again: it may have ended while the hash waited for its turn.
  const { user, stored, mail, isRepeated, noteUse } = await openLink(ctx, token);
  if (!isRepeated) await noteUse();
  const isSet = isRepeated
    ? await checkPassword(next, (await findCredentials(ctx, id))?.hash, ctx.config.bcryptCost)
    : await commitPassword(ctx, { ...user, user: id }, hash, { next: generationBy(token), mail });
  if (isSet === false || isSet === undefined) throw new NotFound("reset link");
  if (stored.removesFactors === true) {
    await turnOffTotp(ctx, user.id);
    await removeAllPasskeys(ctx, user.id);
    await ctx.redis.del(keys.recoveryCodes(user.id));
    await promiseNotice(ctx, { kind: "factors", user: user.id, at: ctx.now() });
  }
  await endEarlierAccess(ctx, user);
  return { ...user, generation: generationBy(token) };
}

/** For a link that did not reach its user. */
export async function dropResetLink(ctx: Ctx, path: string): Promise<void> {
  const location = locateUserToken(path.slice(path.lastIndexOf("/") + 1));
  if (location !== undefined) await links.of(ctx, location.user).remove(location.digest);
}

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
  const namedUser = await findUserByName(ctx, toName(name));
  // As many commands as for a name that has a user.
  const user = namedUser ?? (await findUser(ctx, noUser.id));
  const isRight = await useCodeForReset(ctx, user ?? noUser, code);
  if (user === undefined || !isRight) throw new Invalid({ form: "code.wrong" });
  ctx.log.info({ user: user.id }, "recovery code used");
  return await makeResetLink(ctx, user, { seconds: promptLinkSeconds });
}

/**
 * The job for a user who typed a name or an address: a mail to each account that has confirmed an address. It
 * runs after the answer, so that neither answer nor time tells whether there is such an account.
 */
export async function rescueByMail(ctx: Ctx, { account, from }: { account: string; from: string }) {
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
 * comes from the shell: no admin can take the account of another. Passkeys, authenticator app and recovery
 * codes stay, unless `removesFactors`. It ends with the role, and with the password, of the admin, and when the
 * user becomes an admin. Throws Invalid.
 */
export async function rescueByAdmin(
  ctx: Ctx,
  { by, removesFactors, ...decision }: Omit<Decision, "by"> & { by: User; removesFactors: boolean },
  user: User,
): Promise<string> {
  if (isAdmin(ctx, user)) throw new Invalid({ name: "reset.admin" });
  const verb = removesFactors ? "resetFactors" : "reset";
  const note = checkComment(decision.note, "note");
  const subject = personSubject(user.id);
  await recordEntry(ctx, { ...decision, by: by.id, note, verb, subject });
  const { id, generation } = by;
  return await makeResetLink(ctx, user, { removesFactors, by: { id, generation } });
}
