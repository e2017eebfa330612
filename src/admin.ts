import { parseCall } from "./admin/commands.ts";
import { readConfig } from "./config.ts";
import { requireCurrent } from "./migrations/migrate.ts";
import { open } from "./open.ts";
import { run } from "./process.ts";

/** `npm run admin -- COMMAND …`: what the operator does from a shell, beside a running site or without one. */
run(async () => {
  const { command, args } = parseCall(process.argv.slice(2));
  // The answer is all that is printed: scripts read it. Acts are in the audit log.
  const opened = await open({ ...readConfig(), logLevel: "warn" });
  try {
    await requireCurrent(opened.ctx.redis);
    process.stdout.write(`${(await command.run(opened.ctx, ...args)).join("\n")}\n`);
  } finally {
    await opened.close();
  }
  process.exit(0);
});
