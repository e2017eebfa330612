import type { Ctx } from "../context.ts";
import { invite } from "./invite.ts";
import { makeAdmin } from "./make-admin.ts";
import { resetFactors, resetPassword } from "./reset-password.ts";
import { stats } from "./stats.ts";
import { suspend } from "./suspend.ts";

/** A command of `npm run admin`. */
export interface AdminCommand {
  /** Names of its arguments, in capitals; all are required. */
  args: readonly string[];
  /** What it does, for the list of commands. */
  does: string;
  /** Returns the lines to print. Throws a text for the operator. */
  run(ctx: Ctx, ...args: string[]): Promise<string[]>;
}

/** All commands, by name. */
const commands: Readonly<Record<string, AdminCommand>> = {
  "reset-password": {
    args: ["NAME"],
    does: "prints a link to set a new password; it works once, for a day",
    run: resetPassword,
  },
  "reset-factors": {
    args: ["NAME"],
    does: "the same; the link also removes passkeys and authenticator app",
    run: resetFactors,
  },
  "make-admin": {
    args: ["NAME"],
    does: "makes an account an admin; lets it in, if it waits for one",
    run: makeAdmin,
  },
  invite: {
    args: [],
    does: "prints a link that lets one person sign up within a week",
    run: invite,
  },
  suspend: { args: ["NAME"], does: "suspends an account, as on /admin/suspended", run: suspend },
  stats: { args: [], does: "numbers of the site, its jobs and its Redis", run: stats },
};

export function findCommand(name: string | undefined): AdminCommand | undefined {
  return name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined;
}

/** The list of commands. */
export function usage(): string {
  const lines = Object.entries(commands).map(
    ([name, { args, does }]) => `  ${[name, ...args].join(" ").padEnd(24)} ${does}`,
  );
  return `usage: npm run admin -- COMMAND\n${lines.join("\n")}`;
}
