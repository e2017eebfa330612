import type { Config } from "../config.ts";

/** A text for one address. */
export interface Mail {
  to: string;
  /** Name of the site: the sender, if MAIL_FROM names none. */
  site: string;
  subject: string;
  text: string;
  /** Beside those of all mails. */
  headers?: Readonly<Record<string, string>>;
}

/** The mail server will never take this mail: trying again is no use. */
export class MailRefused extends Error {}

/** In milliseconds; together less than the silence after which a job counts as hung. */
const patience = {
  dnsTimeout: 10_000,
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 30_000,
};

/** Programs answer no mail with this header: no loop of absence notices. */
const headers = { "Auto-Submitted": "auto-generated" };

/**
 * Resolves once the mail server has taken the mail. Throws MailRefused, or an error after which the mail may be
 * tried again. No error names the recipient, as errors are logged.
 */
export async function sendMail(
  { smtpUrl, mailFrom = "" }: Config,
  { site, headers: more, ...mail }: Mail,
): Promise<void> {
  const from = mailFrom.includes("<") ? mailFrom : { name: site, address: mailFrom };
  // Loaded here: a site without mail never needs it.
  const { createTransport } = await import("nodemailer");
  const transport = createTransport({
    ...patience,
    ...(smtpUrl === undefined ? {} : { url: smtpUrl }),
    requireTLS: mustEncrypt(smtpUrl),
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    await transport.sendMail({ ...mail, from, headers: { ...headers, ...more } });
  } catch (error) {
    throw failureOf(error);
  } finally {
    transport.close();
  }
}

/** A password is never sent in the clear to another machine. */
function mustEncrypt(smtpUrl = ""): boolean {
  const { password, hostname } = new URL(smtpUrl);
  return password !== "" && !["localhost", "127.0.0.1", "[::1]"].includes(hostname);
}

/** Words that no check for an outage of Redis takes for one. */
const reasons: Readonly<Record<string, string>> = {
  EAUTH: "refused the log-in",
  ETLS: "offers no encryption",
  ECONNECTION: "could not be reached",
  ESOCKET: "could not be reached",
  EDNS: "has no such host",
  ETIMEDOUT: "did not answer in time",
};

function failureOf(error: unknown): Error {
  // As nodemailer tells it; `responseCode`: of the server's answer, if there was one.
  const { code = "", responseCode = 0 } = error as { code?: string; responseCode?: number };
  const isAboutMail = code === "EENVELOPE" || code === "EMESSAGE";
  if (isAboutMail && responseCode >= 500)
    return new MailRefused(`the mail server refused the mail with ${responseCode}`);
  const reason = reasons[code] ?? "failed";
  const answer = responseCode === 0 ? "" : `, answer ${responseCode}`;
  return new Error(`the mail server ${reason}${answer}`);
}
