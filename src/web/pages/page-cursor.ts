import type { Request } from "express";
import { parseStamp, type Stamp } from "../../domain/stamp.ts";

/** Where a list goes on: `?before=STAMP`. Anything else starts at the newest. */
export function beforeOf(req: Request): Stamp | undefined {
  const { before } = req.query;
  return typeof before === "string" ? parseStamp(before) : undefined;
}
