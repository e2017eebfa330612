import { spawn } from "node:child_process";

/** What stopped the set-up; its message names the remedy and is all that is shown. */
export class Problem extends Error {}

/** Announces a piece of work that takes a while; standard output belongs to what comes after the set-up. */
export function say(line) {
  process.stderr.write(`suzume: ${line}\n`);
}

/**
 * Runs a program and keeps quiet about it. Never rejects: `code` is the exit status, or undefined
 * where the program is missing or was killed; `output` is what it wrote to stdout and stderr.
 */
export function run(command, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], ...options });
    const chunks = [];
    child.stdout.on("data", (chunk) => chunks.push(chunk));
    child.stderr.on("data", (chunk) => chunks.push(chunk));
    const finish = (code) => resolve({ code, output: Buffer.concat(chunks).toString("utf8") });
    child.on("error", () => finish(undefined));
    child.on("close", (code) => finish(code ?? undefined));
  });
}

/** The end of a program's output, indented, for a Problem's message. */
export function tail(output, lines = 20) {
  return output
    .trimEnd()
    .split("\n")
    .slice(-lines)
    .map((line) => `  ${line}`)
    .join("\n");
}
