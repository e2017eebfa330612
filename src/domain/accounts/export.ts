import type { Ctx } from "../../context.ts";
import { type ExportOptions, type ExportSource } from "./export-rows.ts";
import { exportFormat, exportVersion } from "./export-lines.ts";
import { kinds } from "./kinds.ts";

/**
 * All data of a user as JSON Lines, in pieces of bounded size, read only as they are consumed: a header, a line for
 * each row, and a last line that shows that nothing was cut off.
 */
export async function* exportLines(ctx: Ctx, options: ExportOptions): AsyncGenerator<string> {
  const source: ExportSource = { ctx, ...options };
  const exportedAt = new Date(ctx.now()).toISOString();
  yield line("export", { format: exportFormat, version: exportVersion, exported_at: exportedAt });
  for (const [kind, { export: pages }] of Object.entries(kinds))
    for await (const page of pages(source))
      if (page.length > 0) yield page.map((row) => line(kind, row)).join("");
  yield line("end", {});
}

function line(kind: string, row: object): string {
  return `${JSON.stringify({ kind, ...row })}\n`;
}
