import type { Config } from "./config.ts";

/** Platforms kill 30 s after SIGTERM; exit before that. */
const deadlineMilliseconds = 23_000;
const signals = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/** Ends the process through `close` on the first signal, at once on a later one. Exit code 0 if `close` succeeded. */
export function endOnSignal(config: Config, close: () => Promise<void>): void {
  let ending = false;
  let patient = true;
  const begin = () => {
    if (ending) return;
    ending = true;
    // Ctrl-C reaches this process twice, from the terminal and from npm: this counts as one.
    setTimeout(() => (patient = false), 1000).unref();
    setTimeout(() => process.exit(1), deadlineMilliseconds).unref();
    close().then(() => process.exit(0), fail);
  };
  for (const signal of signals)
    process.on(signal, () => {
      if (!patient) process.exit(1);
      begin();
    });
  if (config.underNpm) onParentGone(begin);
}

/** Ends the site if npm was killed (kill -9 reaches only npm): it must not go on without its parent. */
function onParentGone(end: () => void): void {
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    end();
  }, 500).unref();
}

/** Runs a process's main function; a failure is printed and sets the exit code: that of the error, or 1. */
export function run(main: () => Promise<void>): void {
  main().catch(fail);
}

function fail(error: unknown): void {
  const words = error instanceof Error ? error.message : String(error);
  process.stderr.write(`suzume: ${words}\n`);
  const { exitCode } = (error ?? {}) as { exitCode?: unknown };
  process.exit(typeof exitCode === "number" ? exitCode : 1);
}
