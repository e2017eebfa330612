import type { Ctx } from "../../context.ts";
import { JsonRecords } from "../../redis/json-records.ts";
import { keys, mostOf, ttlOf } from "../../redis/keys.ts";
import { Invalid, NotFound } from "../errors.ts";
import type { UserId } from "../ids.ts";
import { removeAllPasskeys } from "../factors/passkeys.ts";
import { turnOffTotp } from "../factors/totp.ts";
import { digestOf } from "../secrets.ts";
import { findCredentials } from "../users/log-in.ts";
import { checkPassword, passwordProblem } from "../users/passwords.ts";
import { findUser, type User } from "../users/store.ts";
import { commitPassword, endEarlierAccess } from "./change-password.ts";
import { locateUserToken, newUserToken } from "../secrets.ts";
import { promiseNotice } from "./mails.ts";

/** TTL of a link that its user opens at once. */
export const promptLinkSeconds = 15 * 60;
/** Milliseconds in which a form may be sent again that set the password and then failed. */
const repeatMilliseconds = 60_000;

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
  { seconds = ttlOf("resetLinks"), removesFactors = false }: LinkOptions = {},
): Promise<string> {
  const links = linksOf(ctx, id);
  const { token, digest } = newUserToken(id);
  const now = await ctx.redis.serverTime(keys.resetLinks(id));
  const until = now + seconds * 1000;
  await links.write(digest, { generation, until, removesFactors }, ttlOf("resetLinks"));
  await links.trim((link) => link.until, mostOf("resetLinks"), now);
  return `/reset/${token}`;
}

function linksOf({ redis }: Ctx, user: UserId): JsonRecords<StoredLink> {
  return new JsonRecords(redis, keys.resetLinks(user));
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
  const location = locateUserToken(token);
  if (location === undefined) throw new NotFound("reset link");
  const links = linksOf(ctx, location.user);
  const [link, now, user] = await Promise.all([
    links.find(location.digest),
    ctx.redis.serverTime(keys.resetLinks(location.user)),
    findUser(ctx, location.user),
  ]);
  if (link === undefined || user === undefined) throw new NotFound("reset link");
  const { value: stored } = link;
  const { generation, until, usedAt = 0 } = stored;
  const isRepeated = user.generation === generationBy(token) && now - usedAt < repeatMilliseconds;
  const isGood = until > now && (isRepeated || user.generation === generation);
  if (!isGood) throw new NotFound("reset link");
  // Only if it is still there: an ended link stays ended.
  const noteUse = () => links.replace(link, { ...stored, usedAt: now });
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
  const location = locateUserToken(path.slice(path.lastIndexOf("/") + 1));
  if (location !== undefined) await linksOf(ctx, location.user).remove(location.digest);
}
