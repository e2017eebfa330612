import { z } from "zod";
import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";

/** What the doctor said last. */
const stored = z.object({
  /** Milliseconds since 1970. */
  at: z.number(),
  keys: z.number(),
  findings: z.number(),
  /** Findings that were not repaired. */
  left: z.number(),
});

export type Checkup = z.infer<typeof stored>;

export async function writeCheckup(ctx: Ctx, checkup: Checkup): Promise<void> {
  await ctx.redis.set(keys.checkup, JSON.stringify(checkup));
}

/** Undefined if the doctor never looked. */
export async function readCheckup(ctx: Ctx): Promise<Checkup | undefined> {
  const text = await ctx.redis.get(keys.checkup);
  return text === null ? undefined : stored.safeParse(JSON.parse(text)).data;
}
