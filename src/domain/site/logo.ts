import { createHash } from "node:crypto";
import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { draw } from "../drawing/draw.ts";
import { type LogoFile, logoFiles } from "../drawing/logo.ts";

/**
 * Makes an uploaded picture the logo of the site. All its pictures are fields of the settings, so that one command
 * writes them together with their digest. Throws Invalid beside `logo`, TooMany.
 */
export async function changeLogo(ctx: Ctx, upload: Buffer): Promise<void> {
  const files = await draw("logo", upload);
  const hash = createHash("sha256");
  for (const file of logoFiles) hash.update(files[file]);
  const logo = hash.digest("hex").slice(0, 16);
  await ctx.redis.hset(keys.site, { ...files, logo });
}

/** The site has its sparrow again. */
export async function removeLogo(ctx: Ctx): Promise<void> {
  await ctx.redis.hset(keys.site, "logo", "");
  await ctx.redis.hdel(keys.site, ...logoFiles);
}

/** Undefined if the logo has another digest. */
export async function findLogo(
  ctx: Ctx,
  digest: string,
  file: LogoFile,
): Promise<Buffer | undefined> {
  const [current, picture] = await ctx.redis.hmgetBuffer(keys.site, "logo", file);
  return current?.toString() === digest ? (picture ?? undefined) : undefined;
}
