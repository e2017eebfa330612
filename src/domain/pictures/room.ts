import type { Ctx } from "../../context.ts";
import { Invalid } from "../errors.ts";

/**
 * Throws Invalid beside `field` while the disk of the pictures is nearly full. Redis may need the rest: it writes its
 * file anew beside the old one, and refuses all writes where it cannot.
 */
export async function requireRoom({ storage, config }: Ctx, field: string): Promise<void> {
  if (storage === undefined) return;
  if ((await storage.freeBytes()) < config.freeDiskBytes)
    throw new Invalid({ [field]: "picture.full" });
}
