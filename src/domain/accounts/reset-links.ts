import type { Ctx } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { Invalid, NotFound } from "../errors.ts";
import { removeAllPasskeys } from "../factors/passkeys.ts";
import { turnOffTotp } from "../factors/totp.ts";
import { digestOf } from "../apps/store.ts";
import { findCredentials } from "../users/log-in.ts";
import { checkPassword, passwordProblem } from "../users/passwords.ts";
import { findUser, type User } from "../users/store.ts";
import { commitPassword, endEarlierAccess } from "./change-password.ts";
import { locateLink, newLinkToken } from "./link-token.ts";
import { promiseNotice } from "./mails.ts";

/** TTL of a link, in seconds. */
const linkSeconds = 24 * 60 * 60;
/** TTL of a link that its user opens at once. */
export const promptLinkSeconds = 15 * 60;
/** Milliseconds in which a form may be sent again that set the password and then failed. */
const repeatMilliseconds = 60_000;
/** Max links of a user; those that end first are dropped. */
const linksKept = 20;

interface StoredLink {
  /** Of the user, see User.generation: a new password ends all links. */
  generation: string;
  /** Milliseconds, by the clock of Redis. */
  until: number;
  /** When its form last set a password, or was about to; in milliseconds. */
  usedAt?: number;
  /** Whether its use also removes passkeys and the authenticator app. */
  removesFactors?: boolean;
}

export interface LinkOptions {
  /** TTL of the link. */
  seconds?: number;
  /** For a user who has lost passkeys and authenticator app: the link removes them. */
  removesFactors?: boolean;
}

/**
 * A one-time link, good for a day, that leads to a form for a new password. Returns its path, which is shown
 * once; only a digest is stored.
 */
export async function makeResetLink(
  ctx: Ctx,
  { id, generation }: Pick<User, "id" | "generation">,
  { seconds = linkSeconds, removesFactors = false }: LinkOptions = {},
): Promise<string> {
  const key = keys.resetLinks(id);
  const { token, digest } = newLinkToken(id);
  const now = await ctx.redis.serverTime(key);
  const stored: StoredLink = { generation, until: now + seconds * 1000, removesFactors };
  await exec(ctx.redis, [
    ["hset", key, digest, JSON.stringify(stored)],
    ["expire", key, linkSeconds],
  ]);
  await dropStale(ctx, key, now);
  return `/reset/${token}`;
}

async function dropStale(ctx: Ctx, key: string, now: number): Promise<void> {
  const newestFirst = Object.entries(await ctx.redis.hgetall(key))
    .map(([digest, text]) => ({ digest, until: (JSON.parse(text) as StoredLink).until }))
    .toSorted((one, other) => other.until - one.until);
  const stale = newestFirst.filter(({ until }, index) => index >= linksKept || until <= now);
  if (stale.length > 0) await ctx.redis.hdel(key, ...stale.map(({ digest }) => digest));
}

/** The generation that a use of the link makes: so a form that is sent again finds its own work. */
function generationBy(token: string): string {
  return digestOf(`generation by ${token}`);
}

/** The user of a link that is still good, and whether it removes passkeys and authenticator app. Throws NotFound. */
export async function getResetLink(
  ctx: Ctx,
  token: string,
): Promise<{ user: User; removesFactors: boolean }> {
  const { user, stored } = await openLink(ctx, token);
  return { user, removesFactors: stored.removesFactors === true };
}

interface OpenedLink {
  user: User;
  stored: StoredLink;
  /** Its form has set the password already, less than a minute ago, and the rest may be missing. */
  isRepeated: boolean;
  /** Notes that its form is about to set a password. */
  noteUse(): Promise<unknown>;
}

async function openLink(ctx: Ctx, token: string): Promise<OpenedLink> {
  const location = locateLink(token);
  if (location === undefined) throw new NotFound("reset link");
  const { digest } = location;
  const key = keys.resetLinks(location.user);
  const [text, now, user] = await Promise.all([
    ctx.redis.hget(key, digest),
    ctx.redis.serverTime(key),
    findUser(ctx, location.user),
  ]);
  if (text === null || user === undefined) throw new NotFound("reset link");
  const stored = JSON.parse(text) as StoredLink;
  const { generation, until, usedAt = 0 } = stored;
  const isRepeated = user.generation === generationBy(token) && now - usedAt < repeatMilliseconds;
  const isGood = until > now && (isRepeated || user.generation === generation);
  if (!isGood) throw new NotFound("reset link");
  // Only if it is still there: an ended link stays ended.
  const used = JSON.stringify({ ...stored, usedAt: now });
  const noteUse = () => ctx.redis.updateIf(key, digest, text, digest, used);
  return { user, stored, isRepeated, noteUse };
}

/**
 * Sets a new password, and ends all earlier access and all links. The password and the generation change with
 * one command, so only one use of a link succeeds; the same form, sent again within a minute, does the rest. A refused
 * password leaves the link as it is. Returns the user. Throws NotFound, Invalid.
 */
export async function useResetLink(ctx: Ctx, token: string, next: string): Promise<User> {
  const { user, stored, isRepeated, noteUse } = await openLink(ctx, token);
  const problem = passwordProblem(next, user.name);
  if (problem !== undefined) throw new Invalid({ new_password: problem });
  const from = await findCredentials(ctx, user.id);
  if (from?.generation !== user.generation) throw new NotFound("reset link");
  if (!isRepeated) await noteUse();
  const isSet = isRepeated
    ? await checkPassword(next, from.hash, ctx.config.bcryptCost)
    : await commitPassword(ctx, user, { from, next, generation: generationBy(token) });
  if (isSet === false || isSet === undefined) throw new NotFound("reset link");
  if (stored.removesFactors === true) {
    await turnOffTotp(ctx, user.id);
    await removeAllPasskeys(ctx, user.id);
    await promiseNotice(ctx, { kind: "factors", user: user.id, at: ctx.now() });
  }
  await endEarlierAccess(ctx, user);
  return user;
}

/** For a link that did not reach its user. */
export async function dropResetLink(ctx: Ctx, path: string): Promise<void> {
  const location = locateLink(path.slice(path.lastIndexOf("/") + 1));
  if (location !== undefined) await ctx.redis.hdel(keys.resetLinks(location.user), location.digest);
}
