import type { Ctx } from "../../context.ts";
import { keys, ttlOf } from "../../redis/keys.ts";
import { digestOf } from "../secrets.ts";
import { type Stamp, stampAt } from "../stamp.ts";
import type { User } from "./store.ts";

/** When the page of the user's website was found to be the user's; undefined if it was not, or is another page. */
export function verifiedAt({
  website,
  verified,
}: Pick<User, "website" | "verified">): Stamp | undefined {
  const [stamp, address] = verified.split(" ");
  return website !== "" && address === website ? Number(stamp) : undefined;
}

/** False if this user's page was looked at in the last day. */
export async function claimWebsiteCheck({ redis }: Ctx, { id, website }: User): Promise<boolean> {
  const key = keys.websiteCheck(digestOf(`${id} ${website}`));
  return (await redis.set(key, "1", "EX", ttlOf("websiteCheck"), "NX")) === "OK";
}

/** Notes what the page said, unless the user has another website by now. */
export async function noteWebsite(
  ctx: Ctx,
  { id, website }: User,
  isVerified: boolean,
): Promise<void> {
  const verified = isVerified ? `${stampAt(ctx.now(), id)} ${website}` : "";
  await ctx.redis.updateIf(keys.user(id), "website", website, "website_verified", verified);
}
