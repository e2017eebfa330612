import type { Ctx, MailNotice, MailWork } from "../context.ts";
import { findPending, makeConfirmLink } from "../domain/accounts/confirm-mail.ts";
import { digestOfAddress, findAddress, hasMail } from "../domain/accounts/mail.ts";
import { dropResetLink, makeResetLink, rescueByMail } from "../domain/accounts/reset-links.ts";
import type { UserId } from "../domain/ids.ts";
import type { MailKind } from "../domain/limit-classes.ts";
import { siteUrl } from "../domain/site-url.ts";
import { siteName } from "../domain/site/settings.ts";
import { findUser, readUser, type User } from "../domain/users/store.ts";
import { readLanguages } from "../web/languages/translator.ts";
import {
  chooseDigest,
  claimDigest,
  digestToken,
  findMissed,
  releaseDigest,
} from "../domain/accounts/digest.ts";
import { clipText } from "../domain/users/display-text.ts";
import { MailRefused, sendMail } from "./transport.ts";

/**
 * The job of a mail. Links are made here, so that no secret waits in the queue: each try makes its own. A mail
 * may arrive twice. What has changed since the promise counts: without an address there is no mail.
 */
export async function deliverMail(ctx: Ctx, work: MailWork, isLast = false): Promise<void> {
  if (!hasMail(ctx)) return;
  try {
    if (work.kind === "forgot") await rescueByMail(ctx, { from: "", ...work });
    else if (work.kind === "confirm") await sendConfirmation(ctx, work.user, work.request);
    else if (work.kind === "reset") await sendResetLink(ctx, work.user);
    else if (work.kind === "digest") await sendDigest(ctx, work, isLast);
    else await sendNotice(ctx, work);
  } catch (error) {
    if (!(error instanceof MailRefused)) throw error;
    ctx.log.warn({ kind: work.kind, reason: error.message }, "a mail is given up");
  }
}

async function sendConfirmation(ctx: Ctx, id: UserId, request?: string): Promise<void> {
  const [user, pending] = await Promise.all([findUser(ctx, id), findPending(ctx, id)]);
  if (user === undefined || pending === undefined || pending.request !== request) return;
  const path = await makeConfirmLink(ctx, id, pending);
  if (path === undefined) return;
  const to = { ...pending, language: user.language || pending.language };
  await send(ctx, to, "confirm", { name: user.name, path });
}

async function sendResetLink(ctx: Ctx, id: UserId): Promise<void> {
  const [user, owned] = await Promise.all([findUser(ctx, id), findAddress(ctx, id)]);
  if (user === undefined || owned === undefined) return;
  const path = await makeResetLink(ctx, user, { mail: digestOfAddress(owned.address) });
  try {
    await send(ctx, owned, "reset", { name: user.name, path });
  } catch (error) {
    await dropResetLink(ctx, path);
    throw error;
  }
}

async function sendNotice(ctx: Ctx, { kind, user: id, ...about }: MailNotice): Promise<void> {
  const [user, owned] = await Promise.all([findUser(ctx, id), findAddress(ctx, id)]);
  if (user === undefined || owned === undefined) return;
  await send(ctx, owned, kind, { name: user.name, path: "/forgot", ...about });
}

/** A mail in a language of the site; unknown: English. `path`: where it leads. A name is [a-z0-9_]: no user's words. */
async function send(
  ctx: Ctx,
  { address, language }: { address: string; language: string },
  kind: MailKind,
  { name, path, at = 0, device = "" }: { name: string; path: string; at?: number; device?: string },
): Promise<void> {
  const site = await siteName(ctx);
  const words = readLanguages().words(language);
  const values = { name, site, url: siteUrl(ctx, path), device, time: timeIn(words.language, at) };
  await sendMail(ctx.config, {
    to: address,
    site,
    subject: words.t(`mail.${kind}.subject`, values),
    text: `${words.t(`mail.${kind}.text`, values)}\n`,
  });
}

/** Readers of a mail have no time zone that the site knows. */
function timeIn(language: string, at: number): string {
  const options = { dateStyle: "long", timeStyle: "short", timeZone: "UTC" } as const;
  return `${new Intl.DateTimeFormat(language, options).format(at)} UTC`;
}

/** Max code points of a tweet in a mail. */
const textLimit = 200;

/**
 * Sends the weekly mail of a user that is due at this time, once; none if nothing was missed. If it cannot be composed,
 * or the mail server does not take it, it is tried again, and given up for a week at the last try.
 */
async function sendDigest(
  ctx: Ctx,
  { user: id, due }: { user: UserId; due: number },
  isLast: boolean,
) {
  const [user, owned] = await Promise.all([readUser(ctx, id), findAddress(ctx, id)]);
  if (user === undefined || owned === undefined) return await chooseDigest(ctx, id, false);
  const claim = () => claimDigest(ctx, id, due);
  if (isLast && !(await claim())) return;
  const mail = user.suspended ? undefined : await composeDigest(ctx, user, owned.language);
  // Claimed once it is composed: an error before leaves it due.
  if ((!isLast && !(await claim())) || mail === undefined) return;
  try {
    await sendMail(ctx.config, { to: owned.address, ...mail });
  } catch (error) {
    if (isLast || error instanceof MailRefused)
      return ctx.log.warn({ err: error }, "a weekly mail is given up");
    await releaseDigest(ctx, id, due);
    throw error;
  }
}

/** Undefined if nothing was missed. Programs of mail end it by a request to the address in its headers (RFC 8058). */
async function composeDigest(ctx: Ctx, user: User, language: string) {
  const missed = await findMissed(ctx, user);
  if (missed.notifications + missed.messages + missed.tweets.length === 0) return undefined;
  const words = readLanguages().words(language);
  const site = await siteName(ctx);
  const end = siteUrl(ctx, `/unsubscribe/${digestToken(ctx, user.id)}`);
  const tweets = missed.tweets.map(({ author, text, id }) => {
    // On one line, so that no tweet looks like a part of the mail.
    const line = clipText(text.replaceAll(/\s+/g, " "), textLimit);
    return `@${author.name}: ${line}\n${siteUrl(ctx, `/tweets/${id}`)}`;
  });
  const numbers = (["notifications", "messages"] as const).flatMap((what) =>
    missed[what] === 0 ? [] : words.t(`mail.digest.${what}`, words.counted(missed[what])),
  );
  const news = [...numbers, ...tweets].join("\n\n");
  const values = { name: user.name, site, news, url: siteUrl(ctx, "/"), end };
  return {
    site,
    subject: words.t("mail.digest.subject", { site }),
    text: `${words.t("mail.digest.text", values)}\n`,
    headers: {
      "List-Unsubscribe": `<${end}>`,
      "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    },
  };
}
