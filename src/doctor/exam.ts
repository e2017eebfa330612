import type { Ctx } from "../context.ts";
import { type Command, exec } from "../redis/exec.ts";
import type { Stamp } from "../domain/stamp.ts";
import { Facts } from "./facts.ts";
import type { Suspicion } from "./finding.ts";
import type { FoundKey, KeyName } from "./key-kinds.ts";
import { MaxIds } from "./max-ids.ts";

/** Commands in one pipeline. */
const atOnce = 500;

export interface LookOptions {
  /** Milliseconds; younger data is skipped: it may be incomplete. */
  minAge: number;
  /** Milliseconds between the first look and the second. */
  pause: number;
}

/** One look at all of Suzume's data, shared by the checks. */
export class Exam {
  readonly ctx: Ctx;
  readonly options: LookOptions;
  readonly facts: Facts;
  readonly maxIds = new MaxIds();
  /** Not looked at again yet, without duplicates. */
  readonly suspicions = new Map<string, Suspicion>();

  constructor(ctx: Ctx, options: LookOptions) {
    this.ctx = ctx;
    this.options = options;
    this.facts = new Facts((commands) => this.ask(commands));
  }

  suspect(suspicion: Suspicion): void {
    const { kind, key, member = "" } = suspicion;
    this.suspicions.set(`${kind} ${key} ${member}`, suspicion);
  }

  /** Whether the data is so recent, by either clock, that it may be incomplete. */
  isYoung(stamp: Stamp): boolean {
    return Math.abs(this.ctx.now() - stamp / 1000) < this.options.minAge;
  }

  /** Replies to any number of commands, in pipelines of bounded size. */
  async ask<Reply>(commands: Command[]): Promise<Reply[]> {
    const replies: unknown[] = [];
    for (let start = 0; start < commands.length; start += atOnce)
      replies.push(...(await exec(this.ctx.redis, commands.slice(start, start + atOnce))));
    return replies as Reply[];
  }
}

/** A check of some kinds of keys. It need not read anything twice: suspicions are looked at again. */
export interface Check {
  of: readonly KeyName[];
  look(exam: Exam, found: FoundKey[]): Promise<void>;
}
