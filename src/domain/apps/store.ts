import type { Ctx } from "../../context.ts";
import { type Command, exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { takeIds } from "../counters.ts";
import type { ClientId } from "../ids.ts";
import type { Stamp } from "../stamp.ts";
import { parseScopes, type Scopes, formatScopes } from "./scopes.ts";

const days = 24 * 60 * 60;
/** An app that nobody has let in is forgotten after so many seconds … */
const untriedSeconds = 2 * days;
/** … or, where it has a token of its own, so many after that was last used. */
export const idleSeconds = 7 * days;

/** A program that people can let in. */
export interface App {
  /** A number, for those who count apps; `client` is what finds it. */
  id: string;
  client: ClientId;
  name: string;
  /** An http(s) address, or empty. */
  website: string;
  /** The most that it can ask for. */
  scopes: Scopes;
  redirectUris: string[];
  /** Digest of the secret by which the app proves to be itself. */
  secret: string;
  createdAt: Stamp;
}

/** An app as it is stored, but for its client id, which is its key. */
type Stored = Omit<App, "client" | "scopes"> & { scopes: string };

export async function nextAppId(ctx: Ctx): Promise<string> {
  return String(await takeIds(ctx, "apps"));
}

/** Remembers a new app for two days: who registers one lets it in within minutes. */
export async function storeApp(ctx: Ctx, { client, scopes, ...about }: App): Promise<void> {
  const stored: Stored = { ...about, scopes: formatScopes(scopes) };
  await ctx.redis.set(keys.app(client), JSON.stringify(stored), "EX", untriedSeconds);
}

/** For good: somebody has let it in. */
export async function keepApp(ctx: Ctx, client: ClientId): Promise<void> {
  await ctx.redis.persist(keys.app(client));
}

/** For as long as a token of its own lives, unless it is kept for good. */
export async function prolongApp(ctx: Ctx, client: ClientId): Promise<void> {
  await ctx.redis.expire(keys.app(client), idleSeconds, "GT");
}

export async function findApp(ctx: Ctx, client: ClientId): Promise<App | undefined> {
  return (await findApps(ctx, [client])).get(client);
}

/** Those of `clients` that are known. */
export async function findApps(ctx: Ctx, clients: Iterable<ClientId>): Promise<Map<ClientId, App>> {
  const unique = [...new Set(clients)];
  const replies = await exec(
    ctx.redis,
    unique.map((client): Command => ["get", keys.app(client)]),
  );
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
