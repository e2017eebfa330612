import type { ImportItem, ImportKindName } from "./import-file.ts";
import type { SkipReason } from "./import-run.ts";

/** What a file has, as far as it is known before anything is written. */
export interface ImportPreview {
  counts: Partial<Record<ImportKindName | "picture", number>>;
  /** Dates of the first and the last tweet, as files have them. */
  first?: string;
  last?: string;
  skipped: Partial<Record<SkipReason, number>>;
}

export function addToPreview(preview: ImportPreview, item: ImportItem): void {
  const { counts, skipped } = preview;
  const reason = item.kind === "malformed" ? "malformed" : item.kind === "tweet" && item.left_out;
  if (typeof reason === "string") {
    skipped[reason] = (skipped[reason] ?? 0) + 1;
    return;
  }
  if (item.kind === "malformed") return;
  counts[item.kind] = (counts[item.kind] ?? 0) + 1;
  if (item.kind !== "tweet") return;
  const { created_at: date, pictures = [] } = item;
  counts.picture = (counts.picture ?? 0) + pictures.length;
  preview.first ??= date;
  if (date < preview.first) preview.first = date;
  if (preview.last === undefined || date > preview.last) preview.last = date;
}
