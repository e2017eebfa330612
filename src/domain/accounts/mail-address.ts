import { z } from "zod";
import type { Ctx } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { digestOf } from "../secrets.ts";
import { type UserId, userId } from "../ids.ts";
import { reconcile } from "../promises.ts";

/** A mail address as people spell it, on one line. Everything else is refused, so it is safe in a header. */
const addressFormat = z.email().max(254);

/** Max accounts with one address. */
export const accountsOfAddress = 10;

export function isAddress(text: string): boolean {
  return addressFormat.safeParse(text).success;
}

/** Stands for an address in keys, so that these name none. Ignores case. */
export function digestOfAddress(address: string): string {
  return digestOf(address.trim().toLowerCase());
}

/**
 * The confirmed address of a user and the language of mails to it. It is no part of User: no page but its
 * owner's shows it.
 */
export async function findAddress(
  ctx: Ctx,
  id: UserId,
): Promise<{ address: string; language: string } | undefined> {
  const fields = ["mail", "mail_language", "language", "deleted_at"];
  const [mail, mailLanguage, chosen, deletedAt] = await ctx.redis.hmget(keys.user(id), ...fields);
  if (typeof mail !== "string" || mail === "" || typeof deletedAt === "string") return undefined;
  // A language chosen in the settings wins.
  return { address: mail, language: chosen || (mailLanguage ?? "") };
}

/** The users who have confirmed this address. */
export async function findUsersByAddress(ctx: Ctx, address: string): Promise<UserId[]> {
  const digest = digestOfAddress(address);
  const listed = await ctx.redis.zrange(keys.mailUsers(digest), 0, "-1");
  const owned = await Promise.all(listed.map((id) => hasAddress(ctx, userId(id), digest)));
  return listed.filter((_, nth) => owned[nth] === true).map(userId);
}

/** The users who have confirmed it are listed; a few more may be listed for a moment. */
export async function countUsersOf(ctx: Ctx, address: string): Promise<number> {
  return await ctx.redis.zcard(keys.mailUsers(digestOfAddress(address)));
}

/** Replaces the address, or removes it ("") if it is still `from`. May run twice; false if it is another one now. */
export async function replaceAddress(
  ctx: Ctx,
  user: UserId,
  { from, to, language }: { from: string; to: string; language: string },
): Promise<boolean> {
  const digests = [from, to].filter((address) => address !== "").map(digestOfAddress);
  for (const digest of digests) await ctx.jobs.chore("reconcile-mail", { user, digest }, "later");
  const key = keys.user(user);
  const changes = ["mail", to, "mail_language", language];
  const isDone =
    (await ctx.redis.updateIf(key, "mail", from, ...changes)) === 1 ||
    (await ctx.redis.hget(key, "mail")) === to;
  for (const digest of digests) await reconcileAddress(ctx, { user, digest });
  return isDone;
}

/** The chore promised above. */
export async function reconcileAddress(
  ctx: Ctx,
  { user, digest }: { user: UserId; digest: string },
): Promise<void> {
  const key = keys.mailUsers(digest);
  await reconcile(
    () => hasAddress(ctx, user, digest),
    async (isOwner) => {
      if (isOwner) await ctx.redis.zadd(key, 0, user);
      else await exec(ctx.redis, [["zrem", key, user]]);
    },
  );
}

async function hasAddress(ctx: Ctx, user: UserId, digest: string): Promise<boolean> {
  const owned = await findAddress(ctx, user);
  return owned !== undefined && digestOfAddress(owned.address) === digest;
}

/** For the end of an account, whose hash is still there. */
export async function eraseAddress(ctx: Ctx, user: UserId): Promise<void> {
  const address = await ctx.redis.hget(keys.user(user), "mail");
  if (typeof address === "string" && address !== "")
    await exec(ctx.redis, [["zrem", keys.mailUsers(digestOfAddress(address)), user]]);
}
