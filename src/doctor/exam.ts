import type { Ctx } from "../context.ts";
import type { Command } from "../redis/exec.ts";
import { exec } from "../redis/exec.ts";
import type { Stamp } from "../domain/stamp.ts";
import { Facts } from "./facts.ts";
import type { Suspicion } from "./finding.ts";
import type { FoundKey, KeyName } from "./key-kinds.ts";
import { MaxIds } from "./max-ids.ts";

/** Commands in one pipeline. */
const atOnce = 500;

export interface Manners {
  /** What is younger, in milliseconds, is left alone: it may be half-way. */
  minAge: number;
  /** Milliseconds between the first look and the second. */
  pause: number;
}

/** One look at all that Suzume keeps: what the checks share. */
export class Exam {
  readonly ctx: Ctx;
  readonly manners: Manners;
  readonly facts: Facts;
  readonly maxIds = new MaxIds();
  /** Not looked at again yet, each once. */
  readonly suspicions = new Map<string, Suspicion>();

  constructor(ctx: Ctx, manners: Manners) {
    this.ctx = ctx;
    this.manners = manners;
    this.facts = new Facts((commands) => this.ask(commands));
  }

  suspect(suspicion: Suspicion): void {
    const { kind, key, member = "" } = suspicion;
    this.suspicions.set(`${kind} ${key} ${member}`, suspicion);
  }

  /** Made so recently, by either clock, that it may not be complete. */
  isYoung(stamp: Stamp): boolean {
    return Math.abs(this.ctx.now() - stamp / 1000) < this.manners.minAge;
  }

  /** The replies to any number of commands, in pipelines of a bounded size. */
  async ask<Reply>(commands: Command[]): Promise<Reply[]> {
    const replies: unknown[] = [];
    for (let start = 0; start < commands.length; start += atOnce)
      replies.push(...(await exec(this.ctx.redis, commands.slice(start, start + atOnce))));
    return replies as Reply[];
  }
}

/** Looks at keys of some kinds. What it reads in passing it need not read twice: suspicions do. */
export interface Check {
  of: readonly KeyName[];
  look(exam: Exam, found: FoundKey[]): Promise<void>;
}
