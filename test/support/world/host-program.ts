import { execFileSync } from "node:child_process";

/** Whether this machine has a program, asked for its version; tests that need it are skipped where it is not. */
export function hasProgram(command: string, ...question: string[]): boolean {
  try {
    execFileSync(command, question.length > 0 ? question : ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
