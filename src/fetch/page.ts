import { lookup } from "node:dns";
import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { Ctx } from "../context.ts";
import { parseEndpoint } from "../domain/push/endpoints.ts";
import { publicLookup, type ResolveName } from "./public-lookup.ts";

/** Milliseconds for a page, redirects included. */
const patience = 8000;
const redirectsAtMost = 3;
/** Max bytes that are read; what comes later counts as absent. */
const bytesAtMost = 512 * 1024;

const headers = {
  Accept: "text/html, application/xhtml+xml",
  "Accept-Encoding": "identity",
  "User-Agent": "Suzume (checks a link of a profile)",
};

/**
 * The HTML at an address that a user has typed, and where it was found; undefined if there is none. Only by https, from
 * public addresses, to which each name is resolved at the moment of connecting; each redirect is checked in the same
 * way. Never throws because of the other site.
 */
export async function fetchPage(
  ctx: Pick<Ctx, "config">,
  address: string,
  resolveName: ResolveName = lookup,
): Promise<{ url: URL; html: string } | undefined> {
  const signal = AbortSignal.timeout(patience);
  let next: string | undefined = address;
  try {
    for (let hops = 0; next !== undefined && hops <= redirectsAtMost; hops += 1) {
      const url = parseEndpoint(ctx.config, next);
      // Other ports could be scanned.
      const hasUsualPort = url?.port === "" || ctx.config.pushToLoopback;
      if (url === undefined || !hasUsualPort) return undefined;
      const response = await ask(ctx, url, { signal, resolveName });
      next = redirectOf(response, url);
      if (next !== undefined) response.destroy();
      else return isPage(response) ? { url, html: await textOf(response) } : undefined;
    }
  } catch {
    // Its certificate, its silence or its address: for the profile it is all the same.
  }
  return undefined;
}

async function ask(
  ctx: Pick<Ctx, "config">,
  url: URL,
  { signal, resolveName }: { signal: AbortSignal; resolveName: ResolveName },
): Promise<IncomingMessage> {
  const options = { headers, signal, agent: false, lookup: publicLookup(ctx, resolveName) };
  return await new Promise((resolve, reject) => {
    const begin = url.protocol === "https:" ? requestHttps : requestHttp;
    begin(url, options).on("response", resolve).on("error", reject).end();
  });
}

function redirectOf({ statusCode = 0, headers: told }: IncomingMessage, url: URL) {
  const { location } = told;
  const isRedirect = [301, 302, 303, 307, 308].includes(statusCode) && location !== undefined;
  return isRedirect && URL.canParse(location, url.href) ? new URL(location, url).href : undefined;
}

/** Packed bodies are not asked for: a small one may be very large. */
function isPage(response: IncomingMessage): boolean {
  const { "content-type": type = "", "content-encoding": packing = "identity" } = response.headers;
  const isHtml = /^\s*(text\/html|application\/xhtml\+xml)\s*(;|$)/i.test(type);
  const isFine = response.statusCode === 200 && isHtml && packing === "identity";
  if (!isFine) response.destroy();
  return isFine;
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    // Leaving the loop ends the connection.
    if (bytes >= bytesAtMost) break;
  }
  return Buffer.concat(chunks).toString("utf8", 0, bytesAtMost);
}

/** Elements whose content is text, whatever it looks like. */
const rawText = new Set(["script", "style", "title", "textarea", "iframe", "noscript", "xmp"]);

/**
 * Addresses of the links with rel="me" in a page. Reads tags as browsers do, so that text in comments, scripts and
 * attributes, which may be a stranger's, is no link. The rest of a page that is cut in a tag is not read.
 */
export function meLinks(html: string, base: string): URL[] {
  const links: URL[] = [];
  for (const { name, attributes } of tagsIn(html)) {
    if (name !== "a" && name !== "link") continue;
    const href = attributes.get("href") ?? "";
    const rels = (attributes.get("rel") ?? "").toLowerCase().split(/\s+/);
    if (rels.includes("me") && URL.canParse(href, base)) links.push(new URL(href, base));
  }
  return links;
}

/** Linear: a name ends at one place, and the alternatives of a repetition begin with different characters. */
const openTag = /<([a-z][^\s/>]*)(?=[\s/>])((?:[^>"']|"[^"]*"|'[^']*')*)>/iy;

function* tagsIn(html: string) {
  let at = html.indexOf("<");
  while (at !== -1) {
    let end = at + 1;
    if (html.startsWith("<!--", at)) end = html.indexOf("-->", at + 4);
    else if (/[a-z]/i.test(html.charAt(at + 1))) {
      openTag.lastIndex = at;
      const [tag = "", spelled = "", rest = ""] = openTag.exec(html) ?? [];
      if (tag === "") return;
      const name = spelled.toLowerCase();
      yield { name, attributes: attributesIn(rest) };
      end = at + tag.length;
      if (rawText.has(name)) end = endOfText(html, name, end);
    }
    at = end === -1 ? -1 : html.indexOf("<", end);
  }
}

function endOfText(html: string, name: string, from: number): number {
  const closing = new RegExp(`</${name}`, "gi");
  closing.lastIndex = from;
  return closing.exec(html)?.index ?? -1;
}

/** The first of two with the same name counts. */
function attributesIn(text: string): Map<string, string> {
  const attributes = new Map<string, string>();
  const spelled = /([^\s"'>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/g;
  for (const [, name = "", double, single, bare] of text.matchAll(spelled)) {
    const value = (double ?? single ?? bare ?? "").replaceAll("&amp;", "&");
    if (!attributes.has(name.toLowerCase())) attributes.set(name.toLowerCase(), value);
  }
  return attributes;
}
