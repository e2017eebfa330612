import type { Ctx } from "../../context.ts";
import { goodUntil, steadyNow } from "../recorded.ts";
import { isOutage } from "../outage.ts";
import { findUser, type User } from "../users/store.ts";
import { prolongApp } from "./store.ts";
import { type Grant, type Place, placeOf, readGrant, writeUse } from "./tokens.ts";

/** A token's use is noted once in so many milliseconds. */
const noteEvery = 24 * 60 * 60 * 1000;

export interface Opened {
  grant: Grant;
  /** For whom the app acts, if for anybody. */
  user: User | undefined;
}

/**
 * Whom a token lets in, as it is this moment: nobody if it is none, was ended, or belongs to somebody
 * who is suspended or gone, or whose generation has changed. One round trip, which reading the user would take by itself.
 */
export async function openToken(ctx: Ctx, token: string): Promise<Opened | undefined> {
  const place = placeOf(token);
  if (place === undefined) return undefined;
  const [kept, user] = await Promise.all([readGrant(ctx, place), userOf(ctx, place)]);
  if (kept === undefined) return undefined;
  if ("user" in place.holder && !mayEnter(user, kept.grant)) return undefined;
  const notedUntil = kept.grant.usedAt / 1000 + noteEvery;
  goodUntil(notedUntil + 1);
  if (steadyNow(ctx) > notedUntil) await noteUse(ctx, place, kept);
  return { grant: kept.grant, user };
}

function mayEnter(user: User | undefined, { generation }: Grant): boolean {
  return user !== undefined && !user.suspended && user.generation === generation;
}

async function userOf(ctx: Ctx, { holder }: Place): Promise<User | undefined> {
  return "user" in holder ? await findUser(ctx, holder.user) : undefined;
}

/** Reading goes on while Redis takes no writes. */
async function noteUse(
  ctx: Ctx,
  place: Place,
  { grant, text }: { grant: Grant; text: string },
): Promise<void> {
  try {
    if (grant.user === undefined) await prolongApp(ctx, grant.app);
    await writeUse(ctx, place, text);
  } catch (error) {
    if (!isOutage(error)) throw error;
  }
}
