import type { Ctx } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { type ClientId, parseUserId, type UserId } from "../ids.ts";
import type { Admission } from "../users/log-in.ts";
import { digestOf, newSecret } from "./store.ts";

/** TTL of a code. */
export const codeSeconds = 600;
/** Max codes of a user; the oldest are dropped. */
const codesKept = 20;

/** What a user has agreed to. */
export interface Consent {
  app: ClientId;
  redirectUri: string;
  /** Spelled by formatScopes. */
  scopes: string;
  /** PKCE: S256 of the verifier that the app will send, if it uses PKCE. */
  challenge: string | undefined;
}

export interface Code extends Consent {
  /** Milliseconds, by the clock of Redis: the clock of a process may be wrong. */
  until: number;
  /** Of the user, see User.generation; absent for the first. */
  generation?: string;
  /** Digest of the one token that was issued for it. */
  token?: string;
}

/** Where a code is stored: under its user, so that all access of a user ends together. */
export interface CodeLocation {
  user: UserId;
  field: string;
}

/** A code that leads an app to the consent for ten minutes. */
export async function issueCode(
  ctx: Ctx,
  { user, generation }: Admission,
  consent: Consent,
): Promise<string> {
  const code = `${user}.${newSecret()}`;
  const key = keys.codes(user);
  const now = await ctx.redis.serverTime(key);
  const kept: Code = { ...consent, generation, until: now + codeSeconds * 1000 };
  await exec(ctx.redis, [
    ["hset", key, digestOf(code), JSON.stringify(kept)],
    ["expire", key, codeSeconds],
  ]);
  await dropStale(ctx, key, now);
  return code;
}

async function dropStale(ctx: Ctx, key: string, now: number): Promise<void> {
  const all = Object.entries(await ctx.redis.hgetall(key))
    .map(([field, text]) => ({ field, until: (JSON.parse(text) as Code).until }))
    .toSorted((one, other) => other.until - one.until);
  const stale = all.filter(({ until }, index) => index >= codesKept || until <= now);
  if (stale.length > 0) await ctx.redis.hdel(key, ...stale.map(({ field }) => field));
}

/** Undefined for text that cannot be a code. */
export function locateCode(code: string): CodeLocation | undefined {
  const [, holder = ""] = /^(\d{1,15})\.[\w-]{43}$/.exec(code) ?? [];
  const user = parseUserId(holder);
  return user && { user, field: digestOf(code) };
}

/** A code that has not expired, used or not. `text` is its stored form, to detect changes. */
export async function readCode(
  ctx: Ctx,
  { user, field }: CodeLocation,
): Promise<{ code: Code; text: string } | undefined> {
  const key = keys.codes(user);
  const [text, now] = await Promise.all([ctx.redis.hget(key, field), ctx.redis.serverTime(key)]);
  if (text === null) return undefined;
  const code = JSON.parse(text) as Code;
  return code.until > now ? { code, text } : undefined;
}

/** Uses a code for one token. False if it was used or dropped meanwhile. May run twice. */
export async function claimCode(
  ctx: Ctx,
  location: CodeLocation,
  { code, text }: { code: Code; text: string },
  token: string,
): Promise<boolean> {
  const key = keys.codes(location.user);
  const claimed = JSON.stringify({ ...code, token });
  const won = await ctx.redis.updateIf(key, location.field, text, location.field, claimed);
  // If the client sent the command twice, the first one made this change.
  return won === 1 || (await ctx.redis.hget(key, location.field)) === claimed;
}

export async function dropCode(ctx: Ctx, { user, field }: CodeLocation): Promise<void> {
  await ctx.redis.hdel(keys.codes(user), field);
}

/** Used and unused codes of an app. */
export async function dropCodesFor(ctx: Ctx, user: UserId, app: ClientId): Promise<void> {
  const key = keys.codes(user);
  const all = Object.entries(await ctx.redis.hgetall(key));
  const own = all.filter(([, text]) => (JSON.parse(text) as Code).app === app);
  if (own.length > 0) await ctx.redis.hdel(key, ...own.map(([field]) => field));
}
