import { BlockList, isIP, isIPv6 } from "node:net";
import { domainToASCII } from "node:url";
import { foldSpelling, foldWords, holdsWord } from "./word-match.ts";

/** What the admins have blocked, ready to be compared. */
export interface Blocks {
  /** All their forms, see formsOf. */
  words: readonly string[];
  /** In ASCII, as in an address. */
  domains: ReadonlySet<string>;
  /** Addresses that may not sign up, and those that get no page at all; undefined if there are none. */
  signUps: BlockList | undefined;
  everything: BlockList | undefined;
}

/** Characters of a host's name, before it is put into ASCII (some are invisible); others separate. */
const notHost = /[^\p{L}\p{M}\p{N}\p{So}\p{Cf}_.%-]+/u;
const notAsciiHost = /[^a-z0-9_.%-]+/;

/** Joiners, fillers, variation selectors: they show nothing, so a word with them looks like the blocked one. */
const invisible = /\p{Default_Ignorable_Code_Point}/gu;

/** Folded forms of a text or word to compare: as it is and, if that differs, without invisible characters. */
export function formsOf(text: string): string[] {
  const forms = [text, text.replaceAll(invisible, "")].map((form) => foldSpelling(foldWords(form)));
  return [...new Set(forms)].filter((form) => form !== "");
}

/** Whether a text has a blocked word, as muted words are found, with invisible characters, accents or the other kana. */
export function hasBlockedWord({ words }: Blocks, text: string): boolean {
  if (words.length === 0) return false;
  const forms = formsOf(text);
  return words.some((word) => forms.some((form) => holdsWord(form, word)));
}

/** The same for the name of an account, which has no spaces: also within a longer word. */
export function isBlockedName({ words }: Blocks, name: string): boolean {
  const folded = foldWords(name);
  return words.some((word) => folded.includes(word));
}

/** Whether a text names a blocked domain, or one below it, as a link or without "https://". */
export function hasBlockedDomain({ domains }: Blocks, text: string): boolean {
  if (domains.size === 0) return false;
  return hostsIn(text).some((host) => withParents(host).some((one) => domains.has(one)));
}

/** All that may be hosts in a text, in ASCII. Linear in the text. */
function hostsIn(text: string): string[] {
  const folded = text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[\u3002\uFF61]/g, ".");
  // Japanese may stand beside an address without a space, and an address may be Japanese: so both cuts.
  const named = [...folded.split(notHost), ...folded.split(notAsciiHost)]
    .filter((token) => token.includes("."))
    .map((token) => toAscii(token));
  // As a browser reads it: user names, numbers as addresses, backslashes.
  const linked = folded.split(/\s+/).map((token) => {
    const at = token.search(/https?:/);
    const link = at === -1 ? "" : token.slice(at);
    return URL.canParse(link) ? trimDots(new URL(link).hostname) : "";
  });
  return [...new Set([...named, ...linked])].filter((host) => host !== "");
}

function toAscii(host: string): string {
  let plain = host;
  try {
    plain = decodeURIComponent(host);
  } catch {
    // A stray "%" is no escape.
  }
  return trimDots(domainToASCII(trimDots(plain)));
}

function trimDots(host: string): string {
  let [start, end] = [0, host.length];
  while (host[start] === ".") start += 1;
  while (end > start && host[end - 1] === ".") end -= 1;
  return host.slice(start, end);
}

/** "a.b.example" → itself, "b.example", "example". */
function withParents(host: string): string[] {
  const labels = host.split(".").slice(-20);
  return labels.map((_, nth) => labels.slice(nth).join("."));
}

/** A domain as it is stored, from "https://Evil.Example/page" or "*.ｅｖｉｌ．ｅｘａｍｐｌｅ". Undefined if it is none. */
export function toDomain(raw: string): string | undefined {
  const [host = ""] = raw
    .normalize("NFKC")
    .trim()
    .replace(/^https?:\/*/i, "")
    .replace(/^[^/@]*@/, "")
    .replace(/^\*\./, "")
    .split(/[/?#:]/, 1);
  const domain = toAscii(host.toLowerCase().replaceAll(/[\u3002\uFF61]/g, "."));
  const isDomain = /^[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})+$/.test(domain) && domain.length <= 253;
  return isDomain ? domain : undefined;
}

/** Shorter prefixes would shut out whole countries. */
const shortestPrefix = { 4: 8, 6: 16 } as const;

/** Prefix of a bare address. A customer of a provider has a /64 of IPv6, as the limits count it. */
const barePrefix = { 4: 32, 6: 64 } as const;

/** An address or a network as it is stored, "192.0.2.0/24". Undefined if it is none, or too large. */
export function toNetwork(raw: string): string | undefined {
  const [typed = "", bits, ...rest] = raw.normalize("NFKC").trim().toLowerCase().split("/");
  const { ip, family } = plainAddress(typed);
  if (family === 0 || rest.length > 0) return undefined;
  const whole = family === 4 ? 32 : 128;
  if (bits !== undefined && !/^\d{1,3}$/.test(bits)) return undefined;
  // "::ffff:192.0.2.0/120" is an IPv4 network, counted in bits of IPv6.
  const isMapped = isIPv6(typed) && family === 4;
  const prefix = bits === undefined ? barePrefix[family] : Number(bits) - (isMapped ? 96 : 0);
  if (prefix < shortestPrefix[family] || prefix > whole) return undefined;
  const network = `${ip}/${prefix}`;
  return holdsIpv4(network) ? undefined : network;
}

/** Whether a network of IPv6 holds all addresses of IPv4, as "::1/64" does: they are compared as "::ffff:192.0.2.1". */
function holdsIpv4(network: string): boolean {
  const list = new BlockList();
  addNetwork(list, network);
  return ["192.0.2.1", "198.51.100.1"].every((ip) => list.check(ip));
}

/** Adds a network as it is stored. */
export function addNetwork(list: BlockList, network: string): void {
  const [ip = "", prefix] = network.split("/");
  list.addSubnet(ip, Number(prefix), isIPv6(ip) ? "ipv6" : "ipv4");
}

export function holdsAddress(list: BlockList | undefined, address: string): boolean {
  if (list === undefined) return false;
  const { ip, family } = plainAddress(address);
  return family !== 0 && list.check(ip, family === 6 ? "ipv6" : "ipv4");
}

/** An address without its zone, and as IPv4 if it is one in the form of IPv6. Family 0: no address. */
export function plainAddress(address: string): { ip: string; family: 0 | 4 | 6 } {
  const [bare = ""] = address.split("%", 1);
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare) ?? [];
  const ip = mapped ?? bare;
  return { ip, family: isIP(ip) as 0 | 4 | 6 };
}
