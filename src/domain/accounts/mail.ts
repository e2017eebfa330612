import { z } from "zod";
import type { Ctx, MailNotice } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { userId, type UserId } from "../ids.ts";
import type { MailKind } from "../limit-classes.ts";
import { limiterOf } from "../limiter.ts";
import { isOutage } from "../outage.ts";
import { promiseRemoval, reconcile } from "../promises.ts";
import { sayRarely } from "../say-rarely.ts";
import { digestOf } from "../secrets.ts";

/** A mail address as people spell it, on one line. Everything else is refused, so it is safe in a header. */
const addressFormat = z.email().max(254);

/** Max accounts with one address. */
export const accountsOfAddress = 10;

export function isAddress(text: string): boolean {
  return addressFormat.safeParse(text).success;
}

/** Stands for an address in keys, so that these name none. Ignores case. */
export function digestOfAddress(address: string): string {
  return digestOf(address.trim().toLowerCase());
}

/**
 * The confirmed address of a user and the language of mails to it. It is no part of User: no page but its
 * owner's shows it.
 */
export async function findAddress(ctx: Ctx, id: UserId) {
  const fields = ["mail", "mail_language", "language", "deleted_at"];
  const [mail, mailLanguage, chosen, deletedAt] = await ctx.redis.hmget(keys.user(id), ...fields);
  if (typeof mail !== "string" || mail === "" || typeof deletedAt === "string") return undefined;
  // A language chosen in the settings wins.
  return { address: mail, language: chosen || (mailLanguage ?? "") };
}

/** The users who have confirmed this address. */
export async function findUsersByAddress(ctx: Ctx, address: string): Promise<UserId[]> {
  const digest = digestOfAddress(address);
  const listed = await ctx.redis.zrange(keys.mailUsers(digest), 0, "-1");
  const owned = await Promise.all(listed.map((id) => hasAddress(ctx, userId(id), digest)));
  return listed.filter((_, nth) => owned[nth] === true).map(userId);
}

/** The users who have confirmed it are listed; a few more may be listed for a moment. */
export async function countUsersOf(ctx: Ctx, address: string): Promise<number> {
  return await ctx.redis.zcard(keys.mailUsers(digestOfAddress(address)));
}

/**
 * Replaces the address, or removes it ("") if it is still `from`, and the user still of the `generation`, if it is given.
 * May run twice; false if it is another one now.
 */
export async function replaceAddress(
  ctx: Ctx,
  user: UserId,
  { from, to, language }: { from: string; to: string; language: string },
  generation?: string,
): Promise<boolean> {
  const digests = [from, to].filter((address) => address !== "").map(digestOfAddress);
  for (const digest of digests) {
    const promise = async () => ctx.jobs.chore("reconcile-mail", { user, digest }, "later");
    await (to === "" ? promiseRemoval(ctx, promise) : promise());
  }
  const key = keys.user(user);
  const expected = ["mail", from, ...(generation === undefined ? [] : ["generation", generation])];
  const changes = ["mail", to, "mail_language", language];
  const isDone =
    (await ctx.redis.updateUser(key, expected.length / 2, ...expected, ...changes)) === 1 ||
    (await ctx.redis.hget(key, "mail")) === to;
  for (const digest of digests) await reconcileAddress(ctx, { user, digest });
  return isDone;
}

/** The chore promised above. */
export async function reconcileAddress(
  ctx: Ctx,
  { user, digest }: { user: UserId; digest: string },
): Promise<void> {
  const key = keys.mailUsers(digest);
  await reconcile(
    () => hasAddress(ctx, user, digest),
    async (isOwner) => {
      await (isOwner ? ctx.redis.zadd(key, 0, user) : ctx.redis.zrem(key, user));
    },
  );
}

async function hasAddress(ctx: Ctx, user: UserId, digest: string): Promise<boolean> {
  const owned = await findAddress(ctx, user);
  return owned !== undefined && digestOfAddress(owned.address) === digest;
}

/** For the end of an account, whose hash is still there. */
export async function eraseAddress(ctx: Ctx, user: UserId): Promise<void> {
  const address = await ctx.redis.hget(keys.user(user), "mail");
  if (typeof address === "string" && address !== "")
    await ctx.redis.zrem(keys.mailUsers(digestOfAddress(address)), user);
}

/** Whether the site sends mail. Without SMTP_URL no page mentions it. */
export function hasMail({ config }: Ctx): boolean {
  return config.smtpUrl !== undefined;
}

/**
 * Counts a mail to an address, when it is promised: the job may try several times. `asker`: the network that asks for it.
 */
export async function takeMail(ctx: Ctx, kind: MailKind, address: string, asker?: string) {
  const digest = digestOfAddress(address);
  if (asker !== undefined) {
    const askerState = await limiterOf(ctx, "mails:asked").take(`${kind}:${digest}:${asker}`);
    if (askerState.refused) return askerState;
  }
  return await limiterOf(ctx, `mails:${kind}`).take(digest);
}

/** Promises a link to set a new password, to a user who has a confirmed address. `from`: the network that asks. */
export async function promiseResetMail(ctx: Ctx, user: UserId, from: string): Promise<void> {
  const owned = await findAddress(ctx, user);
  if (owned === undefined || (await takeMail(ctx, "reset", owned.address, from)).refused) return;
  await ctx.jobs.mail({ kind: "reset", user });
}

/**
 * Tells a user who has a confirmed address what has happened to the account. A notice is worth no error: in an
 * outage there is none.
 */
export async function promiseNotice(ctx: Ctx, notice: MailNotice): Promise<void> {
  if (!hasMail(ctx)) return;
  try {
    const owned = await findAddress(ctx, notice.user);
    if (owned === undefined || (await takeMail(ctx, notice.kind, owned.address)).refused) return;
    await ctx.jobs.mail(notice);
  } catch (error) {
    if (!isOutage(error)) throw error;
    sayRarely(ctx.log, "warn", { reason: String(error) }, "a notice by mail was not promised");
  }
}
