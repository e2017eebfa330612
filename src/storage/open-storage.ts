import type { Config } from "../config.ts";
import { openBucket } from "./bucket.ts";
import { openFolder } from "./folder.ts";
import { guardStorage } from "./guard-storage.ts";
import type { Storage } from "./storage.ts";

/** Undefined where nothing would keep files: a dyno of Heroku loses its disk every day. */
export function openStorage(config: Config, patience?: number): Storage | undefined {
  if (config.bucket !== undefined) return guardStorage(openBucket(config.bucket), patience);
  return config.losesFiles ? undefined : guardStorage(openFolder(config.dataDir), patience);
}
