import type { Ctx } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { Invalid, NotFound } from "../errors.ts";
import type { UserId } from "../ids.ts";
import { removeAllPasskeys } from "../factors/passkeys.ts";
import { turnOffTotp } from "../factors/totp.ts";
import { findCredentials } from "../users/log-in.ts";
import { passwordProblem } from "../users/passwords.ts";
import { findUser, type User } from "../users/store.ts";
import { replacePassword } from "./change-password.ts";
import { locateLink, newLinkToken } from "./link-token.ts";
import { promiseNotice } from "./mails.ts";

/** TTL of a link, in seconds. */
const linkSeconds = 24 * 60 * 60;
/** TTL of a link that its user opens at once. */
export const promptLinkSeconds = 15 * 60;
/** Max links of a user; those that end first are dropped. */
const linksKept = 20;

interface StoredLink {
  /** Of the user, see User.generation: a new password ends all links. */
  generation: string;
  /** Milliseconds, by the clock of Redis. */
  until: number;
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

/** The user of a link that is still good, and whether it removes passkeys and authenticator app. Throws NotFound. */
export async function getResetLink(
  ctx: Ctx,
  token: string,
): Promise<{ user: User; removesFactors: boolean }> {
  const link = await readLink(ctx, token);
  const user = link && (await findUser(ctx, link.user));
  if (user === undefined || user.generation !== link?.generation) throw new NotFound("reset link");
  return { user, removesFactors: link.removesFactors === true };
}

async function readLink(
  ctx: Ctx,
  token: string,
): Promise<(StoredLink & { user: UserId }) | undefined> {
  const location = locateLink(token);
  if (location === undefined) return undefined;
  const key = keys.resetLinks(location.user);
  const [text, now] = await Promise.all([
    ctx.redis.hget(key, location.digest),
    ctx.redis.serverTime(key),
  ]);
  if (text === null) return undefined;
  const stored = JSON.parse(text) as StoredLink;
  return stored.until > now ? { ...stored, user: location.user } : undefined;
}

/**
 * Sets a new password, and ends all earlier access and all links. The password and the generation change with
 * one command, so only one use of a link succeeds. A refused password leaves the link as it is. Returns the
 * user. Throws NotFound, Invalid.
 */
export async function useResetLink(ctx: Ctx, token: string, next: string): Promise<User> {
  const { user, removesFactors } = await getResetLink(ctx, token);
  const problem = passwordProblem(next, user.name);
  if (problem !== undefined) throw new Invalid({ new_password: problem });
  const from = await findCredentials(ctx, user.id);
  if (from?.generation !== user.generation) throw new NotFound("reset link");
  if ((await replacePassword(ctx, user, { from, next })) === undefined)
    throw new NotFound("reset link");
  if (removesFactors) {
    await turnOffTotp(ctx, user.id);
    await removeAllPasskeys(ctx, user.id);
    await promiseNotice(ctx, { kind: "factors", user: user.id, at: ctx.now() });
  }
  return user;
}

/** For a link that did not reach its user. */
export async function dropResetLink(ctx: Ctx, path: string): Promise<void> {
  const location = locateLink(path.slice(path.lastIndexOf("/") + 1));
  if (location !== undefined) await ctx.redis.hdel(keys.resetLinks(location.user), location.digest);
}
