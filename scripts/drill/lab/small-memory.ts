import { readdir, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { NotRun } from "./drill.ts";

/** Milliseconds between two looks at the memory. */
const pause = 20;
const megabyte = 1_000_000;

interface Member {
  pid: number;
  /** What it would free, in bytes: shared pages count by their share. */
  bytes: number;
  /** As the kernel has it: from -1000 to 1000, more ends earlier. */
  adjustment: number;
  isDecoder: boolean;
}

/**
 * A limit of memory for a process and all that it starts, as a container or a small machine has it: above it the process
 * that the kernel would choose is killed. Done by looking some thirty times a second, so it needs no rights; what
 * is there only between two looks is not seen.
 */
export class SmallMemory {
  /** The most that all of them had at once, in MB. */
  most = 0;
  decodersKilled = 0;
  readonly othersKilled: string[] = [];
  #isOver = false;
  #watching: Promise<void> = Promise.resolve();
  readonly #limit: number;

  /** `megabytes` for the process with this id and its descendants. */
  constructor(megabytes: number) {
    this.#limit = megabytes * megabyte;
  }

  /** Throws NotRun where the kernel does not tell what a process has. */
  async watch(pid: number): Promise<void> {
    if ((await familyOf(pid)).length === 0)
      throw new NotRun("needs Linux: /proc/PID/smaps_rollup and /proc/PID/task/PID/children");
    this.#watching = this.#look(pid);
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#watching;
  }

  async #look(pid: number): Promise<void> {
    for (; !this.#isOver; await sleep(pause)) {
      const family = await familyOf(pid);
      const bytes = family.reduce((sum, member) => sum + member.bytes, 0);
      this.most = Math.max(this.most, Math.round(bytes / megabyte));
      if (bytes > this.#limit) this.#killWorst(family);
    }
  }

  /** The kernel's choice: memory, and a thousandth of all memory for each point of the adjustment. */
  #killWorst(family: Member[]): void {
    const points = ({ bytes, adjustment }: Member) => bytes + (adjustment * this.#limit) / 1000;
    const [worst] = family.toSorted((one, other) => points(other) - points(one));
    if (worst === undefined) return;
    if (worst.isDecoder) this.decodersKilled += 1;
    else
      this.othersKilled.push(`process ${worst.pid} with ${Math.round(worst.bytes / megabyte)} MB`);
    try {
      process.kill(worst.pid, "SIGKILL");
    } catch {
      // It has just ended.
    }
  }
}

/** The process and its descendants that live now. */
async function familyOf(pid: number): Promise<Member[]> {
  const [member, children] = await Promise.all([readMember(pid), childrenOf(pid)]);
  const families = await Promise.all(children.map(familyOf));
  return [...(member === undefined ? [] : [member]), ...families.flat()];
}

async function childrenOf(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const lists = threads.map((thread) => textOf(`/proc/${pid}/task/${thread}/children`));
  return (await Promise.all(lists)).flatMap((list) => list.split(" ").filter(Boolean).map(Number));
}

async function readMember(pid: number): Promise<Member | undefined> {
  const [memory, adjustment, command] = await Promise.all([
    textOf(`/proc/${pid}/smaps_rollup`),
    textOf(`/proc/${pid}/oom_score_adj`),
    textOf(`/proc/${pid}/cmdline`),
  ]);
  const [, kilobytes] = /^Pss:\s+(\d+) kB/m.exec(memory) ?? [];
  if (kilobytes === undefined) return undefined;
  return {
    pid,
    bytes: Number(kilobytes) * 1024,
    adjustment: Number(adjustment),
    isDecoder: command.includes("/drawing/child."),
  };
}

async function textOf(file: string): Promise<string> {
  return await readFile(file, "utf8").catch(() => "");
}
