import type { Ctx } from "../../context.ts";
import { execEach } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { GrantRefused } from "../errors.ts";
import { type ClientId, parseClientId } from "../ids.ts";
import { digestOf, isSameSecret } from "../secrets.ts";
import type { Stamp } from "../stamp.ts";
import { parseScopes, type Scopes, formatScopes } from "./scopes.ts";

const days = 24 * 60 * 60;
/** TTL of an app that no user has allowed … */
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

/** Stores a new app for two days: users usually allow it within minutes. */
export async function storeApp(ctx: Ctx, { client, scopes, ...about }: App): Promise<void> {
  const stored: Stored = { ...about, scopes: formatScopes(scopes) };
  await ctx.redis.set(keys.app(client), JSON.stringify(stored), "EX", unusedSeconds);
}

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
    if (typeof text === "string") apps.set(client, toApp(client, text));
  }
  return apps;
}

function toApp(client: ClientId, text: string): App {
  const { scopes, ...about } = JSON.parse(text) as Stored;
  return { ...about, client, scopes: parseScopes(scopes) ?? new Set() };
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
