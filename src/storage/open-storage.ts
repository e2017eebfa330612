import type { Config } from "../config.ts";
import { openBucket } from "./bucket.ts";
import { openFolder } from "./folder.ts";
import type { Storage } from "./storage.ts";

/** Undefined where nothing would keep files: a dyno of Heroku loses its disk every day. */
export function openStorage(config: Config): Storage | undefined {
  if (config.bucket !== undefined) return openBucket(config.bucket);
  return config.losesFiles ? undefined : openFolder(config.dataDir);
}
