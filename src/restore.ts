import { parseArgs } from "node:util";
import { isConsistent } from "./backup/header.ts";
import { readFile } from "./backup/read-file.ts";
import { restoreBackup } from "./backup/restore-backup.ts";
import { type Config, readConfig } from "./config.ts";
import { open } from "./open.ts";
import { run } from "./process.ts";
import { storeSecret } from "./session-secret.ts";

const usage = "Usage: npm run restore -- FILE [--overwrite]";
const say = (line: string) => process.stderr.write(`suzume: ${line}\n`);

/** `npm run restore -- FILE`: makes the site of a backup; see docs/operations.md. */
run(async () => {
  const { values, positionals } = parseArgs({
    options: { overwrite: { type: "boolean", default: false } },
    allowPositionals: true,
  });
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0) throw new Error(usage);
  const config = readConfig();
  const backup = await readFile(file);
  const { header } = backup;
  say(`${file} is whole: ${header.keys} keys, made ${header.madeAt} by Suzume ${header.program}`);
  const opened = await open(config);
  try {
    await restoreBackup(opened.ctx, backup, values);
    await restoreSecret(config, backup.secret);
    say("restored; start the site");
    if (!isConsistent(header))
      say("the backup is not all of one moment: once it runs, npm run doctor -- --repair");
  } finally {
    await opened.close();
  }
  process.exit(0);
});

async function restoreSecret(config: Config, secret: string | undefined): Promise<void> {
  if (secret === undefined || secret === config.sessionSecret) return;
  const file = await storeSecret(config, secret);
  if (config.sessionSecret === undefined) return;
  say(
    `SESSION_SECRET is not that of the backup, which is in ${file} now: set it before you start the site`,
  );
  say("with yours all users sign in again, and authenticator apps and pushes are useless");
}
