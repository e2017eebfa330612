import type { MailKind } from "../domain/limits.ts";
import { type Languages, readLanguages } from "../web/languages/languages.ts";
import type { Mail } from "./transport.ts";

/** Values of a mail. A name is [a-z0-9_], so no user can put own words into it. */
export interface MailValues {
  name: string;
  /** Name of the site. */
  site: string;
  /** Address of the page that the mail leads to. */
  url: string;
  /** Milliseconds since 1970. */
  at?: number;
  device?: string;
}

let known: Languages | undefined;

/** The subject and the text of a mail, in a language of the site; empty or unknown: English. */
export function composeMail(
  language: string,
  kind: MailKind,
  { name, site, url, at = 0, device = "" }: MailValues,
): Omit<Mail, "to" | "site"> {
  known ??= readLanguages();
  const words = known.words(language);
  const values = { name, site, url, device, time: timeIn(words.language, at) };
  return {
    subject: words.t(`mail.${kind}.subject`, values),
    text: `${words.t(`mail.${kind}.text`, values)}\n`,
  };
}

/** Readers of a mail have no time zone that the site knows. */
function timeIn(language: string, at: number): string {
  const options = { dateStyle: "long", timeStyle: "short", timeZone: "UTC" } as const;
  return `${new Intl.DateTimeFormat(language, options).format(at)} UTC`;
}
