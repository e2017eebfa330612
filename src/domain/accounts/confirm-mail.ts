import { randomUUID } from "node:crypto";
import type { Ctx } from "../../context.ts";
import { keys, ttlOf } from "../../redis/keys.ts";
import { Invalid, NotFound, required } from "../errors.ts";
import type { UserId } from "../ids.ts";
import { tooMany } from "../limiter.ts";
import { findUser, type User } from "../users/store.ts";
import { requirePassword } from "./change-password.ts";
import { locateUserToken, newUserToken } from "../secrets.ts";
import {
  accountsOfAddress,
  countUsersOf,
  findAddress,
  isAddress,
  replaceAddress,
  takeMail,
} from "./mail.ts";

/** An address that waits to be confirmed. */
interface Pending {
  address: string;
  language: string;
  /** The confirmed address before, or empty: the link changes that one only. */
  from: string;
  /** Of the user, see User.generation: a new password ends the link. */
  generation: string;
  /** Id of the job that mails it: jobs of replaced addresses send nothing. Undefined in those of earlier versions. */
  request?: string;
  /** Of the token in the mail that was sent last. */
  digest: string;
}

/**
 * Asks for a mail that confirms an address of the user; it replaces one that waits. The password is needed, as
 * mail to the address can set a new one; undefined for a user who has just confirmed in another way. `from`: the network
 * that asks. Throws Invalid, TooMany.
 */
export async function requestAddress(
  ctx: Ctx,
  user: User,
  input: { address: string; password: string | undefined; language: string; from: string },
): Promise<void> {
  const address = input.address.trim();
  if (!isAddress(address)) throw new Invalid({ address: "address.format" });
  const { generation } = await requirePassword(ctx, user, input.password, "password");
  const state = await takeMail(ctx, "confirm", address, input.from);
  if (state.refused) throw tooMany("mails", state);
  const from = (await findAddress(ctx, user.id))?.address ?? "";
  const { language } = input;
  const [life, request] = [ttlOf("mailPending"), randomUUID()];
  const pending: Pending = { address, language, from, generation, request, digest: "" };
  await ctx.redis.set(keys.mailPending(user.id), JSON.stringify(pending), "EX", life);
  await ctx.jobs.mail({ kind: "confirm", user: user.id, request });
}

/** The address that waits to be confirmed, for its owner. */
export async function findPending(ctx: Ctx, user: UserId): Promise<Pending | undefined> {
  const text = await ctx.redis.get(keys.mailPending(user));
  return text === null ? undefined : (JSON.parse(text) as Pending);
}

/**
 * The path of a link that confirms the waiting address. Made when its mail is sent; ends the link before. Undefined if
 * the address was removed or replaced meanwhile.
 */
export async function makeConfirmLink(ctx: Ctx, user: UserId, pending: Pending) {
  const { token, digest } = newUserToken(user);
  const [key, life] = [keys.mailPending(user), ttlOf("mailPending")];
  const next = JSON.stringify({ ...pending, digest });
  const isMade = await ctx.redis.replaceText(key, JSON.stringify(pending), next, life);
  return isMade === 1 ? `/confirm/${token}` : undefined;
}

/** The user and the address of a link. Throws NotFound if it is not good any more. */
export async function getConfirmation(ctx: Ctx, token: string) {
  const { user: id, digest } = required(locateUserToken(token), "confirmation");
  const [pending, user] = await Promise.all([findPending(ctx, id), findUser(ctx, id)]);
  if (pending?.digest !== digest || user?.generation !== pending.generation)
    throw new NotFound("confirmation");
  return { user, pending };
}

/**
 * Confirms the address. The link proves that its holder reads the mail; no session is needed. Throws NotFound, Invalid.
 */
export async function confirmAddress(ctx: Ctx, token: string): Promise<void> {
  const { user, pending } = await getConfirmation(ctx, token);
  const { address: to, from, language, generation } = pending;
  if ((await countUsersOf(ctx, to)) >= accountsOfAddress)
    throw new Invalid({ form: "address.many" });
  const isDone = await replaceAddress(ctx, user.id, { from, to, language }, generation);
  await ctx.redis.del(keys.mailPending(user.id));
  if (!isDone) throw new NotFound("confirmation");
}

/** Removes the user's address, and the one that waits. */
export async function removeAddress(ctx: Ctx, user: UserId): Promise<void> {
  await ctx.redis.del(keys.mailPending(user));
  const owned = await findAddress(ctx, user);
  if (owned === undefined) return;
  await replaceAddress(ctx, user, { from: owned.address, to: "", language: "" });
}
