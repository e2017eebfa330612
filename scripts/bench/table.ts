/** What a part measured. `limit` is what the same machine can do in the same run, or the other side. */
export interface Measured {
  ours: number | undefined;
  limit: number | undefined;
  ratio: number;
  /** What the ratio is to reach, or to stay below where less is better. */
  target?: number;
  unit: string;
  /** Other figures of the same site, by their own names. */
  beside?: Record<string, Measured>;
}

/** Published figures to compare with; sources in docs/scaling.md. */
const anchors: Record<string, string> = {
  fanout: "OPENREC.tv: 210,000 in 10.8 s, 19,444/s",
  cluster: "none published",
  homeUnchanged: "Redis in Action: 3,000–10,000 reads/s of 30 posts; Retwis: 2,027/s of 10",
  homeChanging: "none published",
  readers: "none published",
  readersMixed: "none published",
  readersApi: "none published",
  readersProfile: "none published",
  readersThread: "none published",
  readersBesideWriters: "none published",
  signedOut: "none published",
  follows: "OPENREC.tv: 300 followings 1,500 → 100 ms",
  post: "Retwis: 1.25 s with 20,000 followers",
  interference: "none published",
  rebuild: "OPENREC.tv: 100 ms a page of 300 followings",
  search: "none published",
  live: "none published",
  api: "none published",
  streaming: "none published",
  uploads: "none published",
  uploadsInline: "none published",
  imports: "none published",
  memory: "none published",
};

const columns = ["part", "ours", "limit", "ratio", "target", "unit", "published"] as const;

/** A table for people. */
export function table(results: Record<string, Measured>): string {
  const rows = Object.entries(results).map(([part, { ours, limit, ratio, target, unit }]) => [
    part,
    figure(ours),
    figure(limit),
    ratio.toFixed(2),
    target === undefined ? "–" : String(target),
    unit,
    anchors[part] ?? "",
  ]);
  const lines = [[...columns], ...rows];
  const widths = columns.map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  );
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function figure(value: number | undefined): string {
  if (value === undefined) return "–";
  return value >= 100 ? Math.round(value).toLocaleString("en") : value.toFixed(2);
}
