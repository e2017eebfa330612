import type { Ctx } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { type ClientId, parseUserId, type UserId } from "../ids.ts";
import type { Admission } from "../users/generation.ts";
import { digestOf, newSecret } from "./secrets.ts";

/** Seconds in which an app has to come with its code. */
export const codeSeconds = 600;
/** Of one person; the oldest go. */
const codesKept = 20;

/** What somebody has agreed to. */
export interface Consent {
  app: ClientId;
  redirectUri: string;
  /** As formatScopes spells them. */
  scopes: string;
  /** S256 of what the app will have to show (PKCE), if it uses that. */
  challenge: string | undefined;
}

export interface Code extends Consent {
  /** Milliseconds, by the clock of Redis: that of a process may be wrong. */
  until: number;
  /** Of its user, see User.generation; absent for the first. */
  generation?: string;
  /** Digest of the one token that was given for it. */
  token?: string;
}

/** Where a code is kept: under its person, so that all that lets one in ends together. */
export interface CodePlace {
  user: UserId;
  field: string;
}

/** The code for an app, which finds the consent for ten minutes. */
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

/** Undefined for what can be no code. */
export function placeOfCode(code: string): CodePlace | undefined {
  const [, holder = ""] = /^(\d{1,15})\.[\w-]{43}$/.exec(code) ?? [];
  const user = parseUserId(holder);
  return user && { user, field: digestOf(code) };
}

/** As long as it is good, used or not; with its text, by which it is known to be unchanged. */
export async function readCode(
  ctx: Ctx,
  { user, field }: CodePlace,
): Promise<{ code: Code; text: string } | undefined> {
  const key = keys.codes(user);
  const [text, now] = await Promise.all([ctx.redis.hget(key, field), ctx.redis.serverTime(key)]);
  if (text === null) return undefined;
  const code = JSON.parse(text) as Code;
  return code.until > now ? { code, text } : undefined;
}

/** Uses a code up for one token. False if it was used, or ended, meanwhile. May run twice. */
export async function claimCode(
  ctx: Ctx,
  place: CodePlace,
  { code, text }: { code: Code; text: string },
  token: string,
): Promise<boolean> {
  const key = keys.codes(place.user);
  const claimed = JSON.stringify({ ...code, token });
  const won = await ctx.redis.updateIf(key, place.field, text, place.field, claimed);
  // The client may have sent the command twice: then it was us who changed it.
  return won === 1 || (await ctx.redis.hget(key, place.field)) === claimed;
}

export async function dropCode(ctx: Ctx, { user, field }: CodePlace): Promise<void> {
  await ctx.redis.hdel(keys.codes(user), field);
}

/** Those with which an app has not come yet, and those with which it has. */
export async function dropCodesFor(ctx: Ctx, user: UserId, app: ClientId): Promise<void> {
  const key = keys.codes(user);
  const all = Object.entries(await ctx.redis.hgetall(key));
  const own = all.filter(([, text]) => (JSON.parse(text) as Code).app === app);
  if (own.length > 0) await ctx.redis.hdel(key, ...own.map(([field]) => field));
}
