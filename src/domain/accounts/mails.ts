import type { Ctx, MailNotice } from "../../context.ts";
import type { UserId } from "../ids.ts";
import { limiterOf } from "../limiter.ts";
import type { MailKind } from "../limit-classes.ts";
import { isOutage } from "../outage.ts";
import { sayRarely } from "../say-rarely.ts";
import { digestOfAddress, findAddress } from "./mail-address.ts";

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
    const asked = await limiterOf(ctx, "mails:asked").take(`${kind}:${digest}:${asker}`);
    if (asked.refused) return asked;
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
