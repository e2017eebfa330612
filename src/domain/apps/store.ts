import type { Ctx } from "../../context.ts";
import { execEach } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { GrantRefused, Invalid, type Problem } from "../errors.ts";
import { type ClientId, parseClientId, type Stamp, stampAt } from "../ids.ts";
import { digestOf, isSameSecret, newSecret } from "../secrets.ts";
import { takeIds } from "../counters.ts";
import { cleanLine, fitsGraphemes, isBlank } from "../users/display-text.ts";
import { parseWebsite } from "../users/settings.ts";
import { parseScopes, type Scopes, formatScopes } from "./scopes.ts";

const days = 24 * 60 * 60;
/** TTL of an app that no user has allowed: users usually do so within minutes … */
const unusedSeconds = 2 * days;
/** … or, if it has a token of its own, TTL from the last use of that token. */
export const appIdleSeconds = 7 * days;

/** A client program that users can allow. */
export interface App {
  /** A number, for clients that expect one; `client` is the key. */
  id: string;
  client: ClientId;
  name: string;
  /** An http(s) address, or empty. */
  website: string;
  /** Max scopes that it can ask for. */
  scopes: Scopes;
  redirectUris: string[];
  /** Digest of the secret with which the app authenticates. */
  secret: string;
  createdAt: Stamp;
}

/** An app as it is stored, without its client id, which is its key. */
type Stored = Omit<App, "client" | "scopes"> & { scopes: string };

/** Keeps the app for good: a user has allowed it. */
export async function keepApp(ctx: Ctx, client: ClientId): Promise<void> {
  await ctx.redis.persist(keys.app(client));
}

/** Keeps the app as long as its own token, unless it is kept for good. */
export async function prolongApp(ctx: Ctx, client: ClientId): Promise<void> {
  await ctx.redis.expire(keys.app(client), appIdleSeconds, "GT");
}

export async function findApp(ctx: Ctx, client: ClientId): Promise<App | undefined> {
  return (await findApps(ctx, [client])).get(client);
}

/** Those of `clients` that exist. */
export async function findApps(ctx: Ctx, clients: Iterable<ClientId>): Promise<Map<ClientId, App>> {
  const unique = [...new Set(clients)];
  const replies = await execEach(ctx.redis, unique, (client) => ["get", keys.app(client)]);
  const apps = new Map<ClientId, App>();
  for (const [index, client] of unique.entries()) {
    const text = replies[index];
    if (typeof text !== "string") continue;
    const { scopes, ...about } = JSON.parse(text) as Stored;
    apps.set(client, { ...about, client, scopes: parseScopes(scopes) ?? new Set() });
  }
  return apps;
}

/** The app with this id and secret. Throws the same GrantRefused for an unknown app and a wrong secret. */
export async function authenticateApp(
  ctx: Ctx,
  { client, secret }: { client: string; secret: string },
): Promise<App> {
  const id = parseClientId(client);
  const app = id && (await findApp(ctx, id));
  if (app === undefined || !isSameSecret(digestOf(secret), app.secret))
    throw new GrantRefused("invalid_client");
  return app;
}

const nameLimit = 60;
const websiteLimit = 2000;
/** Max bytes of all that an app sends, as any client may register apps. */
const bytesLimit = 2000;

/** What an app says about itself. */
export interface Registration {
  name: string;
  redirectUris: string[];
  scopes: string;
  website: string;
}

/**
 * Registers an app; any client may do so. The secret is returned only here. Throws Invalid, with the names of
 * the API's fields.
 */
export async function registerApp(ctx: Ctx, input: Registration) {
  const name = cleanLine(input.name);
  const website = cleanLine(input.website);
  const scopes = parseScopes(input.scopes);
  if (isBlank(name)) throw new Invalid({ client_name: "app.empty" });
  if (!fitsGraphemes(name, nameLimit)) throw new Invalid({ client_name: "app.long" });
  const problem = redirectProblem(input.redirectUris);
  if (problem !== undefined) throw new Invalid({ redirect_uris: problem });
  if (scopes === undefined) throw new Invalid({ scopes: "scopes.unknown" });
  if (website !== "" && (website.length > websiteLimit || parseWebsite(website) === undefined))
    throw new Invalid({ website: "website.format" });
  const redirectUris = [...new Set(input.redirectUris)];
  const text = [name, website, formatScopes(scopes), ...redirectUris].join(" ");
  if (Buffer.byteLength(text) > bytesLimit) throw new Invalid({ client_name: "app.large" });
  const client = parseClientId(newSecret(24));
  if (client === undefined) throw new TypeError("an id of an app has changed its form");
  const secret = newSecret();
  const id = String(await takeIds(ctx, "apps"));
  const createdAt = stampAt(ctx.now(), id);
  const about = { id, name, website, redirectUris, secret: digestOf(secret), createdAt };
  const stored: Stored = { ...about, scopes: formatScopes(scopes) };
  await ctx.redis.set(keys.app(client), JSON.stringify(stored), "EX", unusedSeconds);
  const app: App = { ...about, client, scopes };
  return { app, secret };
}

/** Means "no address: show the code on a page". */
export const outOfBand = "urn:ietf:wg:oauth:2.0:oob";

const urisKept = 20;
/** Max characters. */
const longest = 2000;

/** Schemes of browsers, systems and well-known programs: an authorization code must not go there. */
const forbidden = new Set(
  `about addressbook afp android-app applescript blob brave calculator callto chrome cid cifs content dav davs
  data dict edge facetime feed file filesystem ftp ftps geo git gopher hcp help imap intent irc ircs itms jar jdbc ldap ldaps
  livescript magnet mailto market mhtml mid mk mocha ms-its msteams news nfs nntp opera outlook
  pop rdp res resource rtsp search sftp shell shortcuts sip sips skype slack sms smb ssh steam
  svn tel telnet tg urn vbs vbscript javascript view-source vivaldi vnc vscode wais webcal whatsapp ws wss
  wscript xmpp zoommtg`.split(/\s+/),
);
/** Families of such schemes: handlers of Windows and Apple, pages and extensions of browsers. */
const forbiddenFamily =
  /^(ms|microsoft|windows|bing|xbox|onenote|search|chrome|moz|edge|safari|webkit|x|facetime|itms|vscode|web)([-+.]|$)|^(windows|bing|xbox)|-extension$/;
/**
 * The address of an app whose scheme has no dot: a host and a path of plain names. Whatever program has the scheme, it
 * gets no command, file or address in it.
 */
const plainAddress = /^[\w+-]+:\/\/[\w.-]*(\/[\w.-]*)*$/;

/** Undefined if an app may have these addresses. */
export function redirectProblem(uris: readonly string[]): Problem | undefined {
  if (uris.length === 0) return "redirect.missing";
  if (uris.length > urisKept) return "redirect.many";
  return uris.every(isRedirectUri) ? undefined : "redirect.format";
}

/**
 * Checked as text, before any parser drops characters: absolute, printable ASCII, without a fragment. The scheme is
 * http(s) or an app's own: one with a dot (RFC 8252, section 7.1), or one without, as most apps have, and then the
 * address is plain.
 */
export function isRedirectUri(uri: string): boolean {
  if (uri === outOfBand) return true;
  if (uri.length > longest || !/^[\u0021-\u007E]+$/.test(uri) || /[#"<>\\]/.test(uri)) return false;
  const scheme = /^([a-z][a-z\d+.-]*):./i.exec(uri)?.[1]?.toLowerCase();
  if (scheme === undefined || !URL.canParse(uri)) return false;
  if (scheme === "https") return /^https:\/\/([\w.-]+|\[[\da-f:.]+\])(:\d+)?([/?]|$)/i.test(uri);
  // Plain http only on the user's own machine (RFC 8252, section 7.3), where the network cannot listen.
  if (scheme === "http")
    return /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?([/?]|$)/i.test(uri);
  if (forbidden.has(scheme) || forbiddenFamily.test(scheme)) return false;
  return scheme.includes(".") || plainAddress.test(uri);
}
