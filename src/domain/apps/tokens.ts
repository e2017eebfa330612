import type { Ctx } from "../../context.ts";
import { type Command, exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { type ClientId, parseClientId, parseUserId, type UserId } from "../ids.ts";
import { type Stamp, stampAt } from "../stamp.ts";
import { dropCodesFor } from "./codes.ts";
import { parseScopes, type Scopes, formatScopes } from "./scopes.ts";
import { digestOf, newSecret } from "./secrets.ts";
import { idleSeconds } from "./store.ts";

/** Of one person; the oldest go. One lets in an app once for each device. */
const tokensOfPerson = 100;
/** Of an app's own. */
const tokensOfApp = 10;

/** What a token allows, and to whom. */
export interface Grant {
  app: ClientId;
  /** Undefined: the app acts for nobody. */
  user: UserId | undefined;
  scopes: Scopes;
  /** Of the user, see User.generation. */
  generation: string;
  createdAt: Stamp;
  /** Within a day or so; see openToken. */
  usedAt: Stamp;
}

/** Where a token is kept. */
export interface Place {
  key: string;
  /** The token's digest: what was stored can be read by many, the token lets one in. */
  field: string;
  holder: { user: UserId } | { client: ClientId };
}

interface Stored {
  app: ClientId;
  scopes: string;
  /** Absent for the first. */
  generation?: string;
  created_at: Stamp;
  used_at: Stamp;
}

/**
 * A new token, and where it will be. It begins with whose it is, so that it is found with one question
 * and all of somebody's tokens are one key, which ends them all at once.
 */
export function newToken(grant: Pick<Grant, "app" | "user">): { token: string; place: Place } {
  const token = `${grant.user ?? grant.app}.${newSecret()}`;
  const place = placeOf(token);
  if (place === undefined) throw new TypeError("a token has changed its form");
  return { token, place };
}

/** Undefined for what can be no token. */
export function placeOf(token: string): Place | undefined {
  const [, holder = ""] = /^([\w-]{1,32})\.[\w-]{43}$/.exec(token) ?? [];
  const field = digestOf(token);
  const user = parseUserId(holder);
  if (user !== undefined) return { key: keys.tokens(user), field, holder: { user } };
  const client = parseClientId(holder);
  return client && { key: keys.appTokens(client), field, holder: { client } };
}

/** Of a token of which no more than its digest is known. */
export function placeOfToken(user: UserId, digest: string): Place {
  return { key: keys.tokens(user), field: digest, holder: { user } };
}

/** May run twice. */
export async function keepToken(
  ctx: Ctx,
  { key, field, holder }: Place,
  { app, scopes, generation = "" }: { app: ClientId; scopes: Scopes; generation?: string },
): Promise<Stamp> {
  const now = stampAt(ctx.now(), "0");
  const times = { created_at: now, used_at: now };
  const stored: Stored = { app, scopes: formatScopes(scopes), generation, ...times };
  const ofApp = "client" in holder;
  const commands: Command[] = [["hset", key, field, JSON.stringify(stored)]];
  if (ofApp) commands.push(["expire", key, idleSeconds]);
  await exec(ctx.redis, commands);
  await dropOldest(ctx, key, ofApp ? tokensOfApp : tokensOfPerson);
  return now;
}

async function dropOldest(ctx: Ctx, key: string, kept: number): Promise<void> {
  if ((await ctx.redis.hlen(key)) <= kept) return;
  const all = Object.entries(await ctx.redis.hgetall(key));
  const oldest = all
    .map(([field, text]) => ({ field, usedAt: (JSON.parse(text) as Stored).used_at }))
    .toSorted((one, other) => one.usedAt - other.usedAt)
    .slice(0, Math.max(0, all.length - kept));
  if (oldest.length > 0) await ctx.redis.hdel(key, ...oldest.map(({ field }) => field));
}

/** What is kept at a place, and its text, by which it is known to be unchanged. */
export async function readGrant(
  ctx: Ctx,
  { key, field, holder }: Place,
): Promise<{ grant: Grant; text: string } | undefined> {
  const text = await ctx.redis.hget(key, field);
  if (text === null) return undefined;
  return { grant: toGrant(text, "user" in holder ? holder.user : undefined), text };
}

function toGrant(text: string, user: UserId | undefined): Grant {
  const { app, scopes, generation = "", ...times } = JSON.parse(text) as Stored;
  const { created_at: createdAt, used_at: usedAt } = times;
  return { app, user, scopes: parseScopes(scopes) ?? new Set(), generation, createdAt, usedAt };
}

/** Only if it is still there: what has been ended meanwhile stays so. */
export async function writeUse(ctx: Ctx, { key, field, holder }: Place, text: string) {
  const used: Stored = { ...(JSON.parse(text) as Stored), used_at: stampAt(ctx.now(), "0") };
  await ctx.redis.updateIf(key, field, text, field, JSON.stringify(used));
  if ("client" in holder) await ctx.redis.expire(key, idleSeconds);
}

/** What is open with it is told nothing more. */
export async function dropToken(ctx: Ctx, { key, field }: Place): Promise<void> {
  await ctx.redis.hdel(key, field);
}

/** All that somebody has let in, as their tokens. */
export async function listGrants(ctx: Ctx, user: UserId): Promise<(Grant & { field: string })[]> {
  const all = await ctx.redis.hgetall(keys.tokens(user));
  return Object.entries(all).map(([field, text]) => ({ ...toGrant(text, user), field }));
}

/** Ends what somebody has let in: one app, on whatever devices. Its codes go first, as below. */
export async function endApp(ctx: Ctx, user: UserId, app: ClientId): Promise<void> {
  await dropCodesFor(ctx, user, app);
  const key = keys.tokens(user);
  const ended = (await listGrants(ctx, user)).filter((grant) => grant.app === app);
  if (ended.length === 0) return;
  await ctx.redis.hdel(key, ...ended.map(({ field }) => field));
}

/** Ends all that somebody has let in. Codes go first: one that is being redeemed looks for itself last. */
export async function endAllApps(ctx: Ctx, user: UserId): Promise<void> {
  await exec(ctx.redis, [["del", keys.codes(user)]]);
  await exec(ctx.redis, [["del", keys.tokens(user)]]);
}
