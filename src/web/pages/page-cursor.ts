import type { Request } from "express";
import { parseStamp, type Stamp } from "../../domain/stamp.ts";

/** Cursor of a list: `?before=STAMP`. Anything else starts at the newest item. */
export function beforeOf(req: Request): Stamp | undefined {
  const { before } = req.query;
  return typeof before === "string" ? parseStamp(before) : undefined;
}
