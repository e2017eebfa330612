import type { Ctx } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { type JsonRecord, recordsAt } from "../../redis/json-records.ts";
import { keys, mostOf } from "../../redis/keys.ts";
import { GrantRefused } from "../errors.ts";
import {
  type ClientId,
  parseClientId,
  parseUserId,
  type UserId,
  type Stamp,
  stampAt,
} from "../ids.ts";
import { countInDay } from "../statistics.ts";
import { bestEffort } from "../outage.ts";
import { expiresAt, withoutCachingNow } from "../scope.ts";
import { findUser } from "../users/store.ts";
import { dropCodesFor } from "./authorize.ts";
import { formatScopes, parseScopes, type Scopes } from "./scopes.ts";
import { type App, appIdleSeconds, prolongApp } from "./store.ts";
import { digestOf, newSecret } from "../secrets.ts";

/** Min milliseconds between two updates of a token's last use. */
const noteEvery = 24 * 60 * 60 * 1000;

/** What a token allows, and to which app. */
export type Grant = ReturnType<typeof toGrant>;

/** Where a token is stored. */
interface TokenLocation {
  key: string;
  /** The token's digest: reading the database must not be enough to sign in. */
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
 * A new token and its location. The token begins with its holder's id, so that one command finds it. All
 * tokens of a user are in one key, so that deleting it ends them all at once.
 */
export function newToken(grant: Pick<Grant, "app" | "user">) {
  const token = `${grant.user ?? grant.app}.${newSecret()}`;
  const location = locateToken(token);
  if (location === undefined) throw new TypeError("a token has changed its form");
  return { token, location };
}

/** Undefined for text that cannot be a token. */
export function locateToken(token: string): TokenLocation | undefined {
  const [, holder = ""] = /^([\w-]{1,32})\.[\w-]{43}$/.exec(token) ?? [];
  const field = digestOf(token);
  const user = parseUserId(holder);
  if (user !== undefined) return { key: keys.tokens(user), field, holder: { user } };
  const client = parseClientId(holder);
  return client && { key: keys.appTokens(client), field, holder: { client } };
}

/** Location of a token that is known only by its digest. */
export function locateTokenByDigest(user: UserId, digest: string): TokenLocation {
  return { key: keys.tokens(user), field: digest, holder: { user } };
}

const tokensIn = recordsAt<Stored, string>((key) => key);

/** Drops the tokens that were used longest ago, if there are too many. May run twice. */
export async function storeToken(
  ctx: Ctx,
  { key, field, holder }: TokenLocation,
  { app, scopes, generation = "" }: { app: ClientId; scopes: Scopes; generation?: string },
): Promise<Stamp> {
  const now = stampAt(ctx.now(), "0");
  const times = { created_at: now, used_at: now };
  const stored: Stored = { app, scopes: formatScopes(scopes), generation, ...times };
  const ofApp = "client" in holder;
  const tokens = tokensIn(ctx, key);
  await tokens.write(field, stored, ofApp ? appIdleSeconds : undefined);
  await tokens.trim((token) => token.used_at, mostOf(ofApp ? "appTokens" : "tokens"));
  return now;
}

/** The grant at a location, as it is stored too. */
async function readGrant(ctx: Ctx, { key, field, holder }: TokenLocation) {
  const stored = await tokensIn(ctx, key).find(field);
  return stored && { grant: toGrant(stored, "user" in holder ? holder.user : undefined), stored };
}

/** Without a user if the app acts for itself. `generation`: see User.generation; `usedAt`: to about a day, see openToken. */
function toGrant({ value }: JsonRecord<Stored>, user: UserId | undefined) {
  const { app, scopes, generation = "", ...times } = value;
  const { created_at: createdAt, used_at: usedAt } = times;
  return { app, user, scopes: parseScopes(scopes) ?? new Set(), generation, createdAt, usedAt };
}

/**
 * What a token allows at this moment, and its user, unless the app acts for itself. Undefined if it is not a token, was
 * ended, or its user is suspended, gone or in another generation. One round trip, as for reading the user alone.
 */
export async function openToken(ctx: Ctx, token: string) {
  const location = locateToken(token);
  if (location === undefined) return undefined;
  const { holder } = location;
  const [kept, user] = await Promise.all([
    readGrant(ctx, location),
    "user" in holder ? findUser(ctx, holder.user) : undefined,
  ]);
  if (kept === undefined) return undefined;
  const { grant, stored } = kept;
  const isValid = user?.suspended === false && user.generation === grant.generation;
  if ("user" in holder && !isValid) return undefined;
  const notedUntil = grant.usedAt / 1000 + noteEvery;
  expiresAt(notedUntil + 1);
  if (withoutCachingNow(ctx) > notedUntil) await bestEffort(noteUse(ctx, location, stored));
  return { grant, user };
}

/** Whether it was not ended, in Redis at this moment. */
export async function isStored({ redis }: Ctx, token: string): Promise<boolean> {
  const location = locateToken(token);
  return location !== undefined && (await redis.hexists(location.key, location.field)) === 1;
}

/** Writes only if the token is still there: an ended token stays ended. */
async function noteUse(ctx: Ctx, { key, holder }: TokenLocation, stored: JsonRecord<Stored>) {
  if ("client" in holder) await prolongApp(ctx, holder.client);
  else await countInDay(ctx, "people", { id: holder.user, at: ctx.now() });
  await tokensIn(ctx, key).replace(stored, { ...stored.value, used_at: stampAt(ctx.now(), "0") });
  if ("client" in holder) await ctx.redis.expire(key, appIdleSeconds);
}

/** Ends a token of this app. Does nothing if the token is not known. Throws GrantRefused for another app's token. */
export async function revokeToken(ctx: Ctx, app: App, token: string): Promise<void> {
  const location = locateToken(token);
  const grant = location && (await readGrant(ctx, location));
  if (location === undefined || grant === undefined) return;
  if (grant.grant.app !== app.client) throw new GrantRefused("unauthorized_client");
  await dropToken(ctx, location);
}

/** Streams that are open with it get no more updates, and its device no more pushes. */
export async function dropToken(ctx: Ctx, { key, field, holder }: TokenLocation): Promise<void> {
  await ctx.redis.hdel(key, field);
  if ("user" in holder) await ctx.redis.hdel(keys.push(holder.user), field);
}

/** The user's tokens: one for each app and device. */
export async function listGrants(ctx: Ctx, user: UserId): Promise<(Grant & { field: string })[]> {
  const tokens = await tokensIn(ctx, keys.tokens(user)).list();
  return tokens.map((token) => ({ ...toGrant(token, user), field: token.field }));
}

/** Ends a user's tokens for one app, on all devices. Its codes go first, see endAllApps. */
export async function endApp(ctx: Ctx, user: UserId, app: ClientId): Promise<void> {
  await dropCodesFor(ctx, user, app);
  const key = keys.tokens(user);
  const ended = (await listGrants(ctx, user)).filter((grant) => grant.app === app);
  if (ended.length === 0) return;
  const fields = ended.map(({ field }) => field);
  await ctx.redis.hdel(key, ...fields);
  await ctx.redis.hdel(keys.push(user), ...fields);
}

/** Ends all of a user's tokens. Codes go first: redeeming checks its code once more after storing the token. */
export async function endAllApps(ctx: Ctx, user: UserId): Promise<void> {
  await exec(ctx.redis, [["del", keys.codes(user)]]);
  const ended = await ctx.redis.hkeys(keys.tokens(user));
  await exec(ctx.redis, [["del", keys.tokens(user)]]);
  if (ended.length > 0) await ctx.redis.hdel(keys.push(user), ...ended);
}
