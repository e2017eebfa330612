import type { Ctx } from "../context.ts";
import {
  chooseDigest,
  claimDigest,
  digestToken,
  findMissed,
  releaseDigest,
} from "../domain/accounts/digest.ts";
import { findAddress } from "../domain/accounts/mail.ts";
import type { UserId } from "../domain/ids.ts";
import { siteUrl } from "../domain/site-url.ts";
import { siteName } from "../domain/site/settings.ts";
import { clipText } from "../domain/users/display-text.ts";
import { readUser, type User } from "../domain/users/store.ts";
import { readLanguages } from "../web/languages/translator.ts";
import { type Mail, sendMail } from "./transport.ts";

/** Max code points of a tweet in a mail. */
const textLimit = 200;

/**
 * Sends the weekly mail of a user that is due at this time, once; none if nothing was missed. If the mail server does
 * not take it, it is tried again, and given up for a week at the last try.
 */
export async function sendDigest(
  ctx: Ctx,
  { user: id, due }: { user: UserId; due: number },
  isLast: boolean,
): Promise<void> {
  const [user, owned] = await Promise.all([readUser(ctx, id), findAddress(ctx, id)]);
  if (user === undefined || owned === undefined) return await chooseDigest(ctx, id, false);
  if (!(await claimDigest(ctx, id, due)) || user.suspended) return;
  const mail = await composeDigest(ctx, user, owned.language);
  if (mail === undefined) return;
  try {
    await sendMail(ctx.config, { to: owned.address, ...mail });
  } catch (error) {
    if (isLast) return ctx.log.warn({ err: error }, "a weekly mail is given up");
    await releaseDigest(ctx, id, due);
    throw error;
  }
}

/** Undefined if nothing was missed. Programs of mail end it by a request to the address in its headers (RFC 8058). */
async function composeDigest(
  ctx: Ctx,
  user: User,
  language: string,
): Promise<Omit<Mail, "to"> | undefined> {
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
  const told = (["notifications", "messages"] as const).flatMap((what) =>
    missed[what] === 0 ? [] : words.t(`mail.digest.${what}`, words.counted(missed[what])),
  );
  const news = [...told, ...tweets].join("\n\n");
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
