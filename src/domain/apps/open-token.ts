import type { Ctx } from "../../context.ts";
import { goodUntil, unrecordedNow } from "../scope.ts";
import { bestEffort } from "../outage.ts";
import { findUser, type User } from "../users/store.ts";
import { prolongApp } from "./store.ts";
import { type Grant, type TokenLocation, locateToken, readGrant, writeUse } from "./tokens.ts";

/** Min milliseconds between two updates of a token's last use. */
const noteEvery = 24 * 60 * 60 * 1000;

interface OpenedToken {
  grant: Grant;
  /** The user of the token; undefined if the app acts for itself. */
  user: User | undefined;
}

/**
 * What a token allows at this moment. Undefined if it is not a token, was ended, or its user is suspended,
 * gone or in another generation. One round trip, as for reading the user alone.
 */
export async function openToken(ctx: Ctx, token: string): Promise<OpenedToken | undefined> {
  const location = locateToken(token);
  if (location === undefined) return undefined;
  const [kept, user] = await Promise.all([readGrant(ctx, location), userOf(ctx, location)]);
  if (kept === undefined) return undefined;
  if ("user" in location.holder && !isValidFor(user, kept.grant)) return undefined;
  const notedUntil = kept.grant.usedAt / 1000 + noteEvery;
  goodUntil(notedUntil + 1);
  if (unrecordedNow(ctx) > notedUntil) await bestEffort(noteUse(ctx, location, kept));
  return { grant: kept.grant, user };
}

function isValidFor(user: User | undefined, { generation }: Grant): boolean {
  return user !== undefined && !user.suspended && user.generation === generation;
}

async function userOf(ctx: Ctx, { holder }: TokenLocation): Promise<User | undefined> {
  return "user" in holder ? await findUser(ctx, holder.user) : undefined;
}

async function noteUse(
  ctx: Ctx,
  location: TokenLocation,
  { grant, text }: { grant: Grant; text: string },
): Promise<void> {
  if (grant.user === undefined) await prolongApp(ctx, grant.app);
  await writeUse(ctx, location, text);
}
