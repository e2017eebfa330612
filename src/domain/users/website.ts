import type { Problem } from "../errors.ts";
import { cleanLine, fitsGraphemes } from "./display-text.ts";

export const websiteLimit = 100;

/** An address as it is stored: "example.org" is short for "https://example.org". */
export function cleanWebsite(raw: string): string {
  const website = cleanLine(raw);
  return /^[^\s:/@]+\.[^\s:/@]+(\/\S*)?$/u.test(website) ? `https://${website}` : website;
}

/** For an address that was cleaned. Empty is allowed: few people have a website. */
export function websiteProblem(website: string): Problem | undefined {
  if (website === "") return undefined;
  if (!fitsGraphemes(website, websiteLimit)) return "website.long";
  return parseWebsite(website) === undefined ? "website.format" : undefined;
}

/**
 * Undefined for an address that is not http(s), and for one with a user name or password: those only make a
 * host look like another.
 */
export function parseWebsite(website: string): URL | undefined {
  if (!/^https?:\/\/[^\s/\\]/i.test(website) || /\s/.test(website)) return undefined;
  if (!URL.canParse(website)) return undefined;
  const url = new URL(website);
  return url.username === "" && url.password === "" ? url : undefined;
}
