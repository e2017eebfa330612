import { parseArgs } from "node:util";
import { type Header, isConsistent } from "./backup/header.ts";
import { makeBackup } from "./backup/make-backup.ts";
import { readConfig, version } from "./config.ts";
import { bestEffort } from "./domain/outage.ts";
import { open } from "./open.ts";
import { run } from "./process.ts";
import { keys } from "./redis/keys.ts";
import { knownSecret } from "./session-secret.ts";

const usage = "Usage: npm run backup -- FILE [--walk]";
const say = (line: string) => process.stderr.write(`suzume: ${line}\n`);

/** `npm run backup -- FILE`: everything that the site is, in one file; see docs/operations.md. */
run(async () => {
  const { values, positionals } = parseArgs({
    options: { walk: { type: "boolean", default: false } },
    allowPositionals: true,
  });
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0) throw new Error(usage);
  const config = readConfig();
  const secret = await knownSecret(config);
  const opened = await open(config);
  try {
    const how = values.walk ? "walk" : undefined;
    const header = await makeBackup(opened.ctx, { file, secret, program: version, how, say });
    await bestEffort(opened.ctx.redis.set(keys.backupAt, Date.now()));
    say(`${file} is complete: ${describe(header)}`);
    if (secret === undefined) say("SESSION_SECRET is not known here: users will sign in again");
    say("it has everything that users keep private, and the secret of sessions: keep it safe");
  } finally {
    await opened.close();
  }
  process.exit(0);
});

function describe(header: Header): string {
  const size = `${header.keys} keys in ${(header.bytes / 1e6).toFixed(1)} MB`;
  return isConsistent(header)
    ? `${size}, all of one moment`
    : `${size}; not all of one moment: after a restore run npm run doctor -- --repair`;
}
