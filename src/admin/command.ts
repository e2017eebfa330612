import type { Ctx } from "../context.ts";

/** A command of `npm run admin`. */
export interface Command {
  /** Names of its parameters, for the usage: "NAME". */
  parameters: string;
  summary: string;
  /** Returns what is printed. Throws WrongUsage for wrong parameters, else an error whose message is printed. */
  run(ctx: Ctx, parameters: string[]): Promise<string>;
}

/** The message is the usage. */
export class WrongUsage extends Error {}
