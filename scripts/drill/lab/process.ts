import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { readFile } from "node:fs/promises";

const running = new Set<Process>();

/** Ends, by their ids, all processes that drills started and that have not ended. */
export function killAll(): void {
  for (const one of running) one.signal("SIGKILL");
}

export async function allEnded(): Promise<void> {
  await Promise.all([...running].map((one) => one.ended()));
}

/** A process that the drill started. What it writes goes to a file. */
export class Process {
  readonly child: ChildProcess;
  readonly #log: string;
  #told = false;

  constructor(command: string, args: string[], env: Record<string, string>, log: string) {
    const file = openSync(log, "a");
    const { PATH = "", HOME = "" } = process.env;
    this.child = spawn(command, args, {
      env: { PATH, HOME, ...env },
      stdio: ["ignore", file, file],
    });
    closeSync(file);
    running.add(this);
    this.child.once("exit", () => running.delete(this)).once("error", () => running.delete(this));
    this.#log = log;
  }

  get hasEnded(): boolean {
    const { pid, exitCode, signalCode } = this.child;
    return pid === undefined || exitCode !== null || signalCode !== null;
  }

  /** Whether it ended in an error of its own, and not because the drill told it to. */
  get hasCrashed(): boolean {
    return !this.#told && (this.child.exitCode ?? 0) !== 0;
  }

  /** Its exit code, once it has ended; undefined if a signal ended it. */
  async ended(): Promise<number | undefined> {
    if (!this.hasEnded) await once(this.child, "exit");
    return this.child.exitCode ?? undefined;
  }

  signal(name: NodeJS.Signals): void {
    if (this.hasEnded) return;
    this.#told = true;
    this.child.kill(name);
  }

  /** kill -9. */
  async kill(): Promise<void> {
    this.signal("SIGKILL");
    await this.ended();
  }

  async log(): Promise<string> {
    return await readFile(this.#log, "utf8");
  }
}
