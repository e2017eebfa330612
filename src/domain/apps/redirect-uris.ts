import type { Problem } from "../errors.ts";

/** Stands for "no address: show the code on a page". */
export const outOfBand = "urn:ietf:wg:oauth:2.0:oob";

const urisKept = 20;
/** Characters of one, and of all of an app together: anybody may register one, which is kept for days. */
const longest = 2000;

/** Where a browser would run or show what the address itself holds, or look into its own house. */
const forbidden = new Set(
  "javascript data vbscript blob file filesystem about view-source chrome ws wss".split(" "),
);

/** Undefined if an app may have these. */
export function redirectProblem(uris: readonly string[]): Problem | undefined {
  if (uris.length === 0) return "redirect.missing";
  if (uris.length > urisKept) return "redirect.many";
  if (!uris.every(isRedirectUri)) return "redirect.format";
  return uris.join("").length > longest ? "redirect.many" : undefined;
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
