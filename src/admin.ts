import { type Command, WrongUsage } from "./admin/command.ts";
import { resetPassword } from "./admin/reset-password.ts";
import { readConfig } from "./config.ts";
import { open } from "./doctor/open.ts";

const commands: Readonly<Record<string, Command>> = {
  "reset-password": resetPassword,
};

const usage = [
  "Usage:",
  ...Object.entries(commands).map(
    ([name, { parameters, summary }]) => `  npm run admin -- ${name} ${parameters}  ${summary}`,
  ),
].join("\n");

/** `npm run admin -- COMMAND …`: what admins do in a shell, also while the site runs. */
async function main([name = "", ...parameters]: string[]): Promise<void> {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) throw new WrongUsage(usage);
  const opened = await open(readConfig());
  try {
    process.stdout.write(`${await command.run(opened.ctx, parameters)}\n`);
  } finally {
    await opened.close();
  }
}

main(process.argv.slice(2)).then(
  () => process.exit(0),
  (error: unknown) => {
    const words = error instanceof Error ? error.message : String(error);
    process.stderr.write(`admin: ${words}\n`);
    process.exit(error instanceof WrongUsage ? 2 : 1);
  },
);
