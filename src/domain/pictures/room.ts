import type { Ctx } from "../../context.ts";
import { Invalid, StorageAway } from "../errors.ts";

/**
 * Throws Invalid beside `field` while the disk of the pictures is nearly full. Redis may need the rest: it writes its
 * file anew beside the old one, and refuses all writes where it cannot. Throws StorageAway before the work begins.
 */
export async function requireRoom({ storage, config }: Ctx, field: string): Promise<void> {
  if (storage === undefined) return;
  if ((await storage.freeBytes()) < config.freeDiskBytes)
    throw new Invalid({ [field]: "picture.full" });
  await storage.check();
}

/**
 * Why the folder of pictures cannot be written, in words. Not a full disk, which text can do with, and not a bucket
 * that is away: it is away for all processes, which go on without pictures.
 */
export async function folderTrouble({
  storage,
  config,
}: Pick<Ctx, "storage" | "config">): Promise<string | undefined> {
  if (storage === undefined || config.bucket !== undefined) return undefined;
  try {
    await storage.check();
  } catch (error) {
    const { message, cause } = error as Error & { cause?: NodeJS.ErrnoException };
    if (cause?.code !== "ENOSPC" && cause?.code !== "EDQUOT") return message;
  }
  return undefined;
}

/** Whether work with pictures waits for their storage. */
export async function isStorageAway({ storage }: Ctx): Promise<boolean> {
  try {
    await storage?.check();
    return false;
  } catch (error) {
    if (error instanceof StorageAway) return true;
    throw error;
  }
}
