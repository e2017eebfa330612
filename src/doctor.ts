import { parseArgs } from "node:util";
import { readConfig } from "./config.ts";
import type { Ctx } from "./context.ts";
import { cautious, examine, type Result } from "./doctor/examine.ts";
import { showProgress, toText } from "./doctor/report.ts";
import { bestEffort } from "./domain/outage.ts";
import { writeCheckup } from "./domain/site/numbers.ts";
import { requireCurrent } from "./migrations/migrate.ts";
import { open } from "./open.ts";

const usage = "Usage: npm run doctor [-- --repair [--remove-many]] [-- --json]";

/** Exit codes: clean: nothing is wrong; findings: something is, repaired or not; failed: the doctor could not look. */
const codes = { clean: 0, findings: 1, failed: 2 } as const;

/** `npm run doctor`: looks for damage in the Redis of the site; see docs/doctor.md. */
async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      repair: { type: "boolean", default: false },
      "remove-many": { type: "boolean", default: false },
      json: { type: "boolean", default: false },
    },
  });
  const config = readConfig();
  const opened = await open(config, "doctor");
  try {
    await requireCurrent(opened.ctx.redis);
    const { repair, "remove-many": removeMany } = values;
    const options = { ...cautious, repair, removeMany, progress: showProgress() };
    const result = await examine(opened.ctx, opened.queues, options);
    await remember(opened.ctx, result);
    process.stdout.write(`${values.json ? JSON.stringify(result, null, 2) : toText(result)}\n`);
    return Object.keys(result.counts).length === 0 ? codes.clean : codes.findings;
  } finally {
    await opened.close();
  }
}

/** For `/admin`. A Redis that is full or read-only does not change what was found. */
async function remember(ctx: Ctx, { counts, left, keys }: Result): Promise<void> {
  const findings = Object.values(counts).reduce((sum, count) => sum + count, 0);
  await bestEffort(writeCheckup(ctx, { at: ctx.now(), keys, findings, left }));
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    const words = error instanceof Error ? error.message : String(error);
    process.stderr.write(`doctor: could not look: ${words}\n${usage}\n`);
    process.exit(codes.failed);
  },
);
