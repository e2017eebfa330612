import type { Problem } from "../errors.ts";

/** Stands for "no address: show the code on a page". */
export const outOfBand = "urn:ietf:wg:oauth:2.0:oob";

const urisKept = 20;
/** Characters. */
const longest = 2000;
/** Of all of them: anybody can register apps, and each is stored for a week. */
const longestTogether = 4000;

/**
 * Where a browser would run or show what the address itself holds, or look into its own house; and what
 * belongs to the system: a code must not be sent by mail, or to a file server.
 */
const forbidden = new Set(
  (
    "javascript data vbscript blob file filesystem about view-source chrome ws wss " +
    "feed jar intent mailto tel sms ftp smb ssh telnet ldap ldaps"
  ).split(" "),
);

/** Undefined if an app may have these. */
export function redirectProblem(uris: readonly string[]): Problem | undefined {
  if (uris.length === 0) return "redirect.missing";
  const together = uris.reduce((sum, { length }) => sum + length, 0);
  if (uris.length > urisKept || together > longestTogether) return "redirect.many";
  return uris.every(isRedirectUri) ? undefined : "redirect.format";
}

/**
 * Judged by its letters, before any parser drops some of them: absolute, printable ASCII, without a
 * fragment, with a scheme that belongs to an app or is http(s).
 */
export function isRedirectUri(uri: string): boolean {
  if (uri === outOfBand) return true;
  if (uri.length > longest || !/^[\u0021-\u007E]+$/.test(uri) || /[#"<>\\]/.test(uri)) return false;
  const scheme = schemeOf(uri);
  if (scheme === undefined || forbidden.has(scheme) || !URL.canParse(uri)) return false;
  return /^https?$/.test(scheme)
    ? /^https?:\/\/([\w.-]+|\[[\da-f:.]+\])(:\d+)?([/?]|$)/i.test(uri)
    : true;
}

function schemeOf(uri: string): string | undefined {
  return /^([a-z][a-z\d+.-]*):./i.exec(uri)?.[1]?.toLowerCase();
}
